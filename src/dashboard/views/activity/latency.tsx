/** Latencies by day. */
export function Latency() {
  return null;
}
