import assert from 'node:assert/strict'
import postgres from 'postgres'
import type { Bench, BenchContext } from './bench.ts'
import { type DeliverySide, type OwnOptions, ownSide } from './delivery/own-side.ts'
import { postgresCpuSeconds } from './delivery/postgres-cpu.ts'
import { type FastReceiver, startFastReceiver } from './delivery/receiver.ts'
import { startRedis } from './delivery/redis.ts'
import type { SenderService, SenderSettings } from './delivery/sender.ts'
import { atLeast, atMost } from './goal.ts'
import { type Contender, type Measured, medianOf, ratioOf, takeTurns } from './rounds.ts'
import { percent, times } from './table.ts'

/** Sockets to one origin and deliveries in flight: our worker's defaults, also used for raw undici. */
const SOCKETS = 16
const IN_FLIGHT = 512
/** For the comparison with one request at a time on each of many sockets. */
const MANY_SOCKETS = 64
/** The best figure for the other queues. */
const IN_FLIGHT_OF_QUEUES = 64

/** Deliveries of the first drain, which sizes the others, and the minimum of a round. */
const LEAST = 500

type Figures = {
  readonly perSecond: number
  /** CPU time of the sending process per delivery, in microseconds. */
  readonly cpuUs: number
  /** The same for all of PostgreSQL. */
  readonly postgresUs: number
}

export const deliveries: Bench = {
  name: 'deliveries',
  title: 'Webhooks delivered: claimed, signed, sent over HTTPS, recorded',

  async run(context) {
    const receiver = await startFastReceiver(context)
    const redis = await startRedis()
    const admin = postgres(context.postgres.url, { max: 1 })
    const sides = sidesOf(context, receiver, redis?.url ?? null)
    try {
      const contenders = []
      for (const [name, open] of Object.entries(sides)) {
        contenders.push(await contenderOf(name, await open(), context, admin))
      }
      const measured = await takeTurns(contenders, { rounds: context.rounds, onRound: context.progress })
      return resultOf(measured, receiver, redis !== undefined)
    } finally {
      await admin.end()
      await receiver.stop()
      await redis?.stop()
    }
  },
}

const OURS = 'quickquote'
const OURS_MANY = `quickquote, ${MANY_SOCKETS} sockets`
/** Few, so that their shares of a worker's places count. */
const FEW_ENDPOINTS = 16
const OURS_FEW = `quickquote, ${FEW_ENDPOINTS} endpoints`
const RAW = 'undici.request'
const RAW_MANY = `undici.request, ${MANY_SOCKETS} sockets`
const BOSS = 'pg-boss, work()'
const BOSS_BEST = 'pg-boss, best loop'
const GRAPHILE = 'graphile-worker'
const GRAPHILE_BATCHED = 'graphile-worker, batched'
/** graphile-worker needs Node 22. */
const HAS_GRAPHILE = Number.parseInt(process.versions.node, 10) >= 22
const BULL_REDIS = 'BullMQ 5, Redis'
const BULL_POSTGRES = 'BullMQ 6, PostgreSQL'

function sidesOf(
  context: BenchContext,
  receiver: FastReceiver,
  redisUrl: string | null,
): Record<string, () => Promise<DeliverySide>> {
  const common = { redisUrl, origin: receiver.origin, ca: receiver.ca }
  const own = (options: OwnOptions) => () => ownSide(context, receiver, options)
  const raw = (sockets: number, inFlight: number, way = 'request') =>
    senderOf(context, 'raw', { ...common, databaseUrl: '', sockets, inFlight, way })
  const queue = (program: string, way: string) => async () => {
    const databaseUrl = await context.postgres.createDatabase()
    const limits = { sockets: SOCKETS, inFlight: IN_FLIGHT_OF_QUEUES }
    return senderOf(context, program, { ...common, ...limits, databaseUrl, way })()
  }
  return {
    [RAW]: raw(SOCKETS, IN_FLIGHT),
    [OURS]: own({ socketsPerOrigin: SOCKETS, concurrency: IN_FLIGHT }),
    [RAW_MANY]: raw(MANY_SOCKETS, MANY_SOCKETS),
    [OURS_MANY]: own({ socketsPerOrigin: MANY_SOCKETS, concurrency: IN_FLIGHT }),
    [OURS_FEW]: own({ socketsPerOrigin: SOCKETS, concurrency: IN_FLIGHT, endpoints: FEW_ENDPOINTS }),
    'undici dispatch': raw(SOCKETS, IN_FLIGHT, 'dispatch'),
    [BOSS]: queue('pg-boss', 'documented'),
    [BOSS_BEST]: queue('pg-boss', 'batched'),
    ...(HAS_GRAPHILE && {
      [GRAPHILE]: queue('graphile', 'documented'),
      [GRAPHILE_BATCHED]: queue('graphile', 'batched'),
    }),
    ...(redisUrl !== null && { [BULL_REDIS]: queue('bullmq', 'redis') }),
    [BULL_POSTGRES]: queue('bullmq', 'postgres'),
  }
}

function senderOf(context: BenchContext, program: string, settings: SenderSettings) {
  return async (): Promise<DeliverySide> => {
    const child = context.start<SenderService>(`./delivery/${program}-sender.js`)
    await child.call('open', settings)
    return {
      fill: (count) => child.call('fill', count),
      drain: (count) => child.call('drain', count),
      cpuSeconds: () => child.call('cpuSeconds'),
      process: child,
    }
  }
}

/** Sizes each round by the throughput of the previous one. */
async function contenderOf(
  name: string,
  side: DeliverySide,
  { seconds }: BenchContext,
  admin: postgres.Sql,
): Promise<Contender<Figures>> {
  async function drain(count: number): Promise<Figures> {
    await side.fill(count)
    // So that the next round does not pay for the writes of the filling.
    await admin`checkpoint`
    const [cpu, postgresCpu] = [await side.cpuSeconds(), await postgresCpuSeconds(admin)]
    const took = await side.drain(count)
    return {
      perSecond: count / took,
      cpuUs: (((await side.cpuSeconds()) - cpu) / count) * 1e6,
      postgresUs: (((await postgresCpuSeconds(admin)) - postgresCpu) / count) * 1e6,
    }
  }

  let { perSecond } = await drain(LEAST)
  return {
    name,
    process: side.process,
    async measure() {
      const figures = await drain(Math.max(LEAST, Math.ceil(perSecond * seconds)))
      perSecond = figures.perSecond
      return figures
    },
  }
}

function resultOf(measured: readonly Measured<Figures>[], receiver: FastReceiver, hasRedis: boolean) {
  const byName = (name: string) => measured.find((each) => each.name === name)
  const [raw, rawMany] = [RAW, RAW_MANY].map(byName)
  const [ours, oursMany, oursFew] = [OURS, OURS_MANY, OURS_FEW].map(byName)
  assert(raw !== undefined && rawMany !== undefined)
  assert(ours !== undefined && oursMany !== undefined && oursFew !== undefined)
  const against = (name: string, ourSide: Measured<Figures> = ours) => {
    const peer = byName(name)
    return peer === undefined ? Number.NaN : ratioOf(ourSide, peer, 'perSecond').median
  }
  const peerGoal = (name: string, must: number, aim = must) =>
    atLeast({ goal: `Deliveries/s, against ${name}`, value: against(name), must, aim, format: times })
  const rawGoal = (goal: string, value: number) =>
    atLeast({ goal, value, must: 0.6, aim: 0.8, format: percent })
  return {
    head: [
      '',
      'deliveries/s',
      'of undici',
      'lowest',
      'highest',
      'ours is',
      'its CPU us',
      'PostgreSQL CPU us',
    ],
    rows: measured.map((each) => rowOf(each, { base: each === oursMany ? rawMany : raw, ours })),
    notes: [
      `The receiver is ${receiver.kind}, on the same machine. Bodies have 400 bytes. A delivery counts once it is recorded.`,
      `In flight: ${IN_FLIGHT} in ${SOCKETS} sockets (ours, undici), ${IN_FLIGHT_OF_QUEUES} in ${SOCKETS} sockets (the others).`,
      'Sockets are open before the clock starts. CPU time is per delivery, of the sending process and of PostgreSQL.',
      ...(HAS_GRAPHILE
        ? []
        : [`${GRAPHILE}: skipped, it needs Node 22. This is Node ${process.versions.node}.`]),
      ...(hasRedis ? [] : [`${BULL_REDIS}: skipped, redis-server is not installed.`]),
    ],
    goals: [
      rawGoal(`Deliveries/s against raw undici, ${SOCKETS} sockets`, against(RAW)),
      rawGoal(`Deliveries/s against raw undici, ${MANY_SOCKETS} sockets`, against(RAW_MANY, oursMany)),
      atLeast({
        goal: `Deliveries/s to ${FEW_ENDPOINTS} endpoints, against many`,
        value: ratioOf(oursFew, ours, 'perSecond').median,
        must: 0.8,
        format: times,
      }),
      peerGoal(BOSS_BEST, 3, 4),
      peerGoal(BOSS, 100),
      peerGoal(GRAPHILE, 10, 14),
      peerGoal(GRAPHILE_BATCHED, 3, 4),
      peerGoal(BULL_REDIS, 3.5, 4.5),
      peerGoal(BULL_POSTGRES, 10, 14),
      atMost({
        goal: 'PostgreSQL CPU per delivery',
        value: medianOf(ours, 'postgresUs'),
        must: 30,
        aim: 12,
        format: (value) => `${value.toFixed(0)} us`,
      }),
    ],
  }
}

function rowOf(
  side: Measured<Figures>,
  { base, ours }: { base: Measured<Figures>; ours: Measured<Figures> },
): string[] {
  const { median, lowest, highest } = ratioOf(side, base, 'perSecond')
  return [
    side.name,
    medianOf(side, 'perSecond').toFixed(0),
    ...[median, lowest, highest].map(percent),
    times(ratioOf(ours, side, 'perSecond').median),
    medianOf(side, 'cpuUs').toFixed(0),
    medianOf(side, 'postgresUs').toFixed(0),
  ]
}
