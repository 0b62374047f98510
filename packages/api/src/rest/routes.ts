/** Every REST route of the service (proof-service: REST). Handlers are in `@cairn/service`. */
import { accessRoutes } from "./routes/access.ts";
import { eventRoutes } from "./routes/events.ts";
import { operationRoutes } from "./routes/operations.ts";
import { paymentRoutes } from "./routes/payment.ts";
import { registerRoutes } from "./routes/registers.ts";
import { sandboxRoutes } from "./routes/sandbox.ts";
import { submissionRoutes } from "./routes/submissions.ts";
import { verificationKeyRoutes } from "./routes/verification-keys.ts";
import { webhookRoutes } from "./routes/webhooks.ts";

/** The route table. Keys name the operations. */
export const restRoutes = {
  ...submissionRoutes,
  ...verificationKeyRoutes,
  ...registerRoutes,
  ...paymentRoutes,
  ...eventRoutes,
  ...accessRoutes,
  ...webhookRoutes,
  ...sandboxRoutes,
  ...operationRoutes,
} as const;

/** Name of an operation. */
export type RestOperation = keyof typeof restRoutes;
