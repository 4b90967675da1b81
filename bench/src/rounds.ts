/** A contender's figures in one round, by name. */
export type Figures = Readonly<Record<string, number>>

/** One of the sides that a bench compares. */
export interface Contender<F extends Figures> {
  readonly name: string
  /** Runs one round. */
  measure(): Promise<F>
  /** Its process, which is stopped while another contender is measured: even idle ones cost something. */
  readonly process?: { pause(): void; resume(): void }
}

/** A contender with the figures of its rounds, in order. */
export interface Measured<F extends Figures> {
  readonly name: string
  readonly rounds: readonly F[]
}

/**
 * Runs contenders in turn (A, B, A, B, …): the speed of a machine drifts, so only figures of the same round are comparable.
 * Starts with an unmeasured round, unless `warmUp` is false.
 */
export async function takeTurns<F extends Figures>(
  contenders: readonly Contender<F>[],
  { rounds, onRound, warmUp = true }: { rounds: number; onRound: (line: string) => void; warmUp?: boolean },
): Promise<Measured<F>[]> {
  const measured = contenders.map(({ name }) => ({ name, rounds: [] as F[] }))
  for (const { process } of contenders) process?.pause()
  try {
    for (let round = warmUp ? 0 : 1; round <= rounds; round += 1) {
      for (const [index, contender] of contenders.entries()) {
        contender.process?.resume()
        const figures = await contender.measure()
        contender.process?.pause()
        const label = round === 0 ? 'warm-up' : `round ${round}/${rounds}`
        onRound(`${label}  ${contender.name}: ${describe(figures)}`)
        if (round > 0) measured[index]?.rounds.push(figures)
      }
    }
  } finally {
    for (const { process } of contenders) process?.resume()
  }
  return measured
}

export function medianOf<F extends Figures>({ rounds }: Measured<F>, figure: keyof F & string): number {
  return median(rounds.map((each) => each[figure] ?? Number.NaN))
}

/** A figure of one contender divided by that of another, round by round. */
export function ratioOf<F extends Figures>(
  contender: Measured<F>,
  base: Measured<F>,
  figure: keyof F & string,
): { readonly median: number; readonly lowest: number; readonly highest: number } {
  const ratios = contender.rounds.map(
    (each, round) => (each[figure] ?? Number.NaN) / (base.rounds[round]?.[figure] ?? Number.NaN),
  )
  return { median: median(ratios), lowest: Math.min(...ratios), highest: Math.max(...ratios) }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [
    sorted[sorted.length % 2 === 1 ? middle : middle - 1],
    sorted[middle],
  ]
  return (low + high) / 2
}

function describe(figures: Figures): string {
  return Object.entries(figures)
    .map(([name, value]) => `${name} ${value.toFixed(value < 100 ? 1 : 0)}`)
    .join(', ')
}
