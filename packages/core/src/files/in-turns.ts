import { setImmediate } from 'node:timers/promises'

/**
 * Passes bytes on, and lets the event loop turn after each `perTurn` of them, however large the pieces are and however
 * fast they come. So a document that is costly to look into delays other requests by a moment only.
 */
export async function* inTurns(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  perTurn: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  let left = perTurn
  for await (const chunk of bytes) {
    for (let start = 0; start < chunk.length; ) {
      if (left === 0) {
        await setImmediate()
        left = perTurn
      }
      const piece = chunk.subarray(start, start + left)
      start += piece.length
      left -= piece.length
      yield piece
    }
  }
}
