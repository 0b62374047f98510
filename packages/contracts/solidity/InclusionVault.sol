// SPDX-License-Identifier: MIT OR Apache-2.0
pragma solidity 0.8.37;

/// Prepaid inclusion of proofs in the native token. A payer deposits, names the settlers that may charge it and how
/// much; ProofHub charges while it settles; a payer that is short is skipped and never stops a settlement. Nobody owns
/// this contract and nobody can pause it: what a payer asked back is paid out after the delay. Genesis writes the delay
/// into slot 0.
contract InclusionVault {
    /// The only caller of `charge`.
    address private constant PROOF_HUB = address(0xc001);
    /// Of one payer in the precompile's output: u32 count, u256 total, u128 highest price.
    uint256 private constant CHARGE_BYTES = 52;

    struct Request {
        uint128 amount;
        /// Unix time from which it is paid out.
        uint64 availableAt;
    }

    struct Allowance {
        /// Highest price of one slot, and of all slots of one UTC day; zeros: this settler may not charge.
        uint128 maxPerProof;
        uint128 maxPerDay;
        /// Charged on `day`.
        uint128 spent;
        /// Days since 1970.
        uint64 day;
        /// The settler's last batch that named this payer.
        uint64 lastNumber;
    }

    /// Why a payer was skipped.
    enum Reason {
        NotAllowed,
        AboveMaxPerProof,
        AboveMaxPerDay,
        InsufficientBalance,
        NamedBefore
    }

    /// Seconds between the request of a withdrawal and its payment.
    uint256 public withdrawalDelay;
    /// Deposited and neither charged nor withdrawn, what is requested back included.
    mapping(address payer => uint256) public balanceOf;
    /// The withdrawal that a payer waits for.
    mapping(address payer => Request) public requestOf;
    /// What a payer lets a settler charge.
    mapping(address payer => mapping(address settler => Allowance)) public allowanceOf;
    /// Total of skipped charges that the payer has not covered.
    mapping(address payer => mapping(address settler => uint256)) public owed;
    /// Charged for a settler and not yet claimed by it.
    mapping(address settler => uint256) public claimable;

    event Deposited(address indexed payer, address indexed from, uint256 amount);
    event Allowed(address indexed payer, address indexed settler, uint128 maxPerProof, uint128 maxPerDay);
    /// Amount 0 takes a request back.
    event WithdrawalRequested(address indexed payer, uint256 amount, uint64 availableAt);
    event Withdrawn(address indexed payer, uint256 amount);
    /// `count` included slots of batch `number`; `spent` is the day's total with this charge.
    event Charged(
        address indexed payer,
        address indexed settler,
        uint64 indexed number,
        uint256 amount,
        uint32 count,
        uint64 day,
        uint128 spent
    );
    /// Nothing was taken for batch `number`; its slots keep their place.
    event Shortfall(
        address indexed payer, address indexed settler, uint64 indexed number, uint256 amount, Reason reason
    );
    event Covered(address indexed payer, address indexed settler, uint256 amount);
    event Claimed(address indexed settler, uint256 amount);

    /// A deposit, claim or payment of nothing.
    error ZeroAmount();
    /// The zero address can neither pay nor settle.
    error ZeroAddress();
    /// More than there is.
    error AboveBalance(uint256 balance, uint256 amount);
    /// More than is owed.
    error AboveOwed(uint256 owed, uint256 amount);
    /// No withdrawal is requested.
    error NothingRequested();
    /// The delay is not over.
    error TooEarly(uint64 availableAt);
    /// The receiver refused the native token.
    error TransferFailed();
    /// Only ProofHub charges.
    error NotProofHub();

    /// Adds to the sender's balance.
    function deposit() external payable {
        credit(msg.sender);
    }

    /// Adds to another payer's balance.
    function depositFor(address payer) external payable {
        credit(payer);
    }

    /// Lets a settler charge the sender within these limits from now on; zeros: no more. What was charged today counts.
    function allow(address settler, uint128 maxPerProof, uint128 maxPerDay) external {
        if (settler == address(0)) revert ZeroAddress();
        Allowance storage allowance = allowanceOf[msg.sender][settler];
        (allowance.maxPerProof, allowance.maxPerDay) = (maxPerProof, maxPerDay);
        emit Allowed(msg.sender, settler, maxPerProof, maxPerDay);
    }

    /// Asks for a part of the balance back, in place of an earlier request; the delay starts anew. Until it is paid out
    /// charges may still use it.
    function requestWithdrawal(uint128 amount) external {
        uint256 balance = balanceOf[msg.sender];
        if (amount > balance) revert AboveBalance(balance, amount);
        uint64 availableAt = amount == 0 ? 0 : uint64(block.timestamp + withdrawalDelay);
        requestOf[msg.sender] = Request(amount, availableAt);
        emit WithdrawalRequested(msg.sender, amount, availableAt);
    }

    /// Pays the requested amount, or what charges left of it, to the sender.
    function withdraw() external returns (uint256 amount) {
        Request memory request = requestOf[msg.sender];
        if (request.amount == 0) revert NothingRequested();
        if (block.timestamp < request.availableAt) revert TooEarly(request.availableAt);
        uint256 balance = balanceOf[msg.sender];
        amount = request.amount < balance ? request.amount : balance;
        delete requestOf[msg.sender];
        balanceOf[msg.sender] = balance - amount;
        emit Withdrawn(msg.sender, amount);
        pay(msg.sender, amount);
    }

    /// Pays a part of what the sender owes a settler out of its balance.
    function cover(address settler, uint256 amount) external {
        uint256 debt = owed[msg.sender][settler];
        uint256 balance = balanceOf[msg.sender];
        if (amount == 0) revert ZeroAmount();
        if (amount > debt) revert AboveOwed(debt, amount);
        if (amount > balance) revert AboveBalance(balance, amount);
        owed[msg.sender][settler] = debt - amount;
        balanceOf[msg.sender] = balance - amount;
        claimable[settler] += amount;
        emit Covered(msg.sender, settler, amount);
    }

    /// Pays the sender what was charged for it.
    function claim() external returns (uint256 amount) {
        amount = claimable[msg.sender];
        if (amount == 0) revert ZeroAmount();
        claimable[msg.sender] = 0;
        emit Claimed(msg.sender, amount);
        pay(msg.sender, amount);
    }

    /// Charges the payers of a settler's batch, each once, in the order of the batch; `charges` is the precompile's
    /// output. A payer that may not or cannot pay is skipped. Never reverts because of a payer.
    function charge(address settler, uint64 number, address[] calldata payers, bytes calldata charges) external {
        if (msg.sender != PROOF_HUB) revert NotProofHub();
        uint256 collected = 0;
        for (uint256 i = 0; i < payers.length; ++i) {
            bytes calldata part = charges[i * CHARGE_BYTES:(i + 1) * CHARGE_BYTES];
            uint256 amount = uint256(bytes32(part[4:36]));
            if (amount == 0) continue;
            (address payer, uint32 count, uint128 highest) =
                (payers[i], uint32(bytes4(part[0:4])), uint128(bytes16(part[36:52])));
            if (take(payer, settler, number, amount, count, highest)) collected += amount;
        }
        if (collected != 0) claimable[settler] += collected;
    }

    function credit(address payer) private {
        if (msg.value == 0) revert ZeroAmount();
        if (payer == address(0)) revert ZeroAddress();
        balanceOf[payer] += msg.value;
        emit Deposited(payer, msg.sender, msg.value);
    }

    function take(address payer, address settler, uint64 number, uint256 amount, uint32 count, uint128 highest)
        private
        returns (bool)
    {
        Allowance memory allowance = allowanceOf[payer][settler];
        uint64 today = uint64(block.timestamp / 1 days);
        uint256 spent = (allowance.day == today ? allowance.spent : 0) + amount;
        uint256 balance = balanceOf[payer];
        if (allowance.lastNumber == number) {
            emit Shortfall(payer, settler, number, amount, Reason.NamedBefore);
            return false;
        }
        allowance.lastNumber = number;
        Reason reason;
        if (allowance.maxPerDay == 0) reason = Reason.NotAllowed;
        else if (highest > allowance.maxPerProof) reason = Reason.AboveMaxPerProof;
        else if (spent > allowance.maxPerDay) reason = Reason.AboveMaxPerDay;
        else if (amount > balance) reason = Reason.InsufficientBalance;
        else {
            (allowance.day, allowance.spent) = (today, uint128(spent));
            allowanceOf[payer][settler] = allowance;
            balanceOf[payer] = balance - amount;
            emit Charged(payer, settler, number, amount, count, today, uint128(spent));
            return true;
        }
        allowanceOf[payer][settler] = allowance;
        owed[payer][settler] += amount;
        emit Shortfall(payer, settler, number, amount, reason);
        return false;
    }

    function pay(address to, uint256 amount) private {
        (bool ok,) = to.call{value: amount}("");
        if (!ok) revert TransferFailed();
    }
}
