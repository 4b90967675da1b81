import assert from 'node:assert/strict'
import type { Bench } from './bench.ts'
import { ownSide } from './delivery/own-side.ts'
import { startFastReceiver } from './delivery/receiver.ts'
import { atLeast } from './goal.ts'
import { type Contender, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent } from './table.ts'

/** Deliveries of the warm-up, which sizes the rounds. */
const LEAST = 5000

type Figures = { readonly perSecond: number; readonly cpuUs: number }

export const standardSignature: Bench = {
  name: 'standard-signature',
  title: 'Deliveries with Standard Webhooks headers, against deliveries without',

  async run(context) {
    const receiver = await startFastReceiver(context)
    async function contenderOf(name: string, standardWebhooks: boolean): Promise<Contender<Figures>> {
      const side = await ownSide(context, receiver, { standardWebhooks })
      async function drain(count: number): Promise<Figures> {
        await side.fill(count)
        const before = await side.cpuSeconds()
        const seconds = await side.drain(count)
        return { perSecond: count / seconds, cpuUs: (((await side.cpuSeconds()) - before) / count) * 1e6 }
      }
      const { perSecond } = await drain(LEAST)
      return { name, measure: () => drain(Math.max(LEAST, Math.ceil(perSecond * context.seconds))) }
    }
    try {
      const [without, both] = await takeTurns(
        [await contenderOf('our signature', false), await contenderOf('both signatures', true)],
        { rounds: context.rounds, onRound: context.progress },
      )
      assert(without !== undefined && both !== undefined)
      const rows = [without, both].map((side) => {
        const { median, lowest, highest } = ratioOf(side, without, 'perSecond')
        const perSecond = medianOf(side, 'perSecond').toFixed(0)
        return [
          side.name,
          perSecond,
          ...[median, lowest, highest].map(percent),
          medianOf(side, 'cpuUs').toFixed(1),
        ]
      })
      return {
        head: ['', 'deliveries/s', 'ratio', 'lowest', 'highest', 'CPU us of the worker'],
        rows,
        notes: ['The cost may be 8 %.'],
        goals: [
          atLeast({
            goal: 'Deliveries/s with both signatures, against one',
            value: ratioOf(both, without, 'perSecond').median,
            must: 0.92,
            format: percent,
          }),
        ],
      }
    } finally {
      await receiver.stop()
    }
  },
}
