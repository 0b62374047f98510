/** Time that does not jump: for waits and times to live. What is shown to people is the wall clock's. */

/**
 * Ms since 1970 by the wall clock of this process's start, counted on evenly: an operator or NTP setting the clock
 * neither ends what has to wait nor keeps it waiting.
 */
export function steadyNow(): number {
  return performance.timeOrigin + performance.now();
}
