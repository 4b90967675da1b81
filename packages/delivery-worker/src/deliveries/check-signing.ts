import { randomBytes } from 'node:crypto'
import { type CheckKind, signedAt } from '@quickquote/core/internal'
import { hexHmacOf, standardHmacOf, type Target } from './targets.ts'

type Keys = Pick<Target, 'key' | 'previousKeys' | 'standardKeys'>

/** The keys and the time with which an attempt is signed. `kind` is null if it is not part of a receiver check. */
export function signingOf(
  target: Keys,
  kind: CheckKind | null,
  attemptedAt: Date,
): Keys & { readonly signedAt: Date } {
  const { key, previousKeys, standardKeys } = keysOf(target, kind)
  return { key, previousKeys, standardKeys, signedAt: signedAt(attemptedAt, kind) }
}

function keysOf(keys: Keys, kind: CheckKind | null): Keys {
  const { previousKeys, standardKeys } = keys
  switch (kind) {
    case 'forged': {
      const secret = `whsec_${randomBytes(32).toString('base64')}`
      const forged = hexHmacOf(secret)
      return {
        key: forged,
        previousKeys: previousKeys.map(() => forged),
        standardKeys: standardKeys.map(() => standardHmacOf(secret)),
      }
    }
    case 'previous_secret': {
      const [previous] = previousKeys
      if (previous === undefined) throw new Error('The overlap of the rotation is over.')
      return { key: previous, previousKeys: [], standardKeys: standardKeys.slice(1, 2) }
    }
    default:
      return keys
  }
}
