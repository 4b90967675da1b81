/** A target, and the measured value. */
export interface Goal {
  readonly goal: string
  readonly must: string
  readonly aim: string
  readonly measured: string
  readonly verdict: 'aim met' | 'must met' | 'missed'
}

interface Bounds {
  readonly goal: string
  readonly value: number
  readonly must: number
  /** Default: none. */
  readonly aim?: number
  readonly format: (value: number) => string
}

/** For figures of which more is better. */
export function atLeast(bounds: Bounds): Goal {
  return goalOf(bounds, (value, bound) => value >= bound)
}

/** For figures of which less is better. */
export function atMost(bounds: Bounds): Goal {
  return goalOf(bounds, (value, bound) => value <= bound)
}

function goalOf(
  { goal, value, must, aim = must, format }: Bounds,
  isMet: (value: number, bound: number) => boolean,
): Goal {
  const verdict = isMet(value, aim) ? 'aim met' : isMet(value, must) ? 'must met' : 'missed'
  return {
    goal,
    must: format(must),
    aim: aim === must ? '' : format(aim),
    measured: Number.isNaN(value) ? '–' : format(value),
    verdict,
  }
}

export const GOALS_HEAD = ['goal', 'must', 'aim', 'measured', 'verdict']

export function goalRow({ goal, must, aim, measured, verdict }: Goal): string[] {
  return [goal, must, aim, measured, verdict]
}
