/** Sets an entry, and forgets the one that was set longest ago if there are more than `most`. */
export function remember<Value>(kept: Map<string, Value>, key: string, value: Value, most: number): void {
  // A map keeps insertion order.
  kept.delete(key)
  kept.set(key, value)
  if (kept.size > most) kept.delete(kept.keys().next().value ?? '')
}
