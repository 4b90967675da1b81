const OK = { answer: 200 }
const SLOWEST_MS = 100
/**
 * The receivers, by the name in their URL. They accept most requests, so that each event has a chance within eight
 * attempts.
 */
export const TEMPERS = {
  steady: () => OK,
  failing: () => sometimes(0.25, { answer: 500 }),
  hanging: () => sometimes(0.01, { answer: 'hang' }),
  resetting: () => sometimes(0.1, { answer: 'reset' }),
  slow: () => ({ answer: 200, delayMs: Math.random() * SLOWEST_MS }),
  // Each one pauses the endpoint for a second: more would hold up its deliveries longer than all events take.
  busy: () => sometimes(0.02, { answer: 429 }),
  gone: () => sometimes(0.05, { answer: 410 }),
  // Never accepts one event in 16, which uses up its attempts.
  refusing: (eventId) => (eventId.endsWith('0') ? { answer: 500 } : OK),
}
function sometimes(share, behaviour) {
  return Math.random() < share ? behaviour : OK
}
