import { adminOf, integrationsOn } from '@quickquote/dev-servers/host'
import { drizzleStorage } from '@quickquote/storage-drizzle'
import { expect, it, onTestFinished } from 'vitest'
import { createDeliveryWorker } from '../src/index.ts'
import { ORGANIZATION, openHost, STEP_EVENT } from './support/host.ts'

it('a replay that cannot finish a batch in time makes smaller ones, and says so', async () => {
  const host = await openHost()
  const { sql } = host
  const begun = new Date(Date.now() - 60_000)
  const endpoint = await host.createEndpoint('https://receiver.example/')
  await sql`
    insert into quickquote.events (id, organization_id, type, generation_source, body, created_at)
    select (lpad(to_hex(floor(extract(epoch from now()) * 1000)::bigint), 12, '0') || '7000a' || lpad(n::text, 15, '0'))::uuid,
      ${ORGANIZATION}, ${STEP_EVENT}, 'api_key', '{}', now() - n * interval '1 ms' from generate_series(1, 60) n`
  // So a batch of 60 takes 1.2 s.
  await sql`
    create or replace function quickquote.keep_event(event uuid) returns boolean language plpgsql volatile as $$
    begin
      perform pg_sleep(0.02);
      return true;
    end $$`
  const hasty = drizzleStorage({ connectionString: host.databaseUrl, statementTimeoutMs: 700 })
  const warnings: unknown[] = []
  const integrations = integrationsOn(hasty, {
    logger: {
      debug() {},
      info() {},
      error() {},
      warn: (fields, message) => void (/replay/.test(message) && warnings.push([fields, message])),
    },
  })
  onTestFinished(() => integrations.close())
  const admin = adminOf(ORGANIZATION)
  const { id } = await integrations.replays.start(admin, endpoint.id, {
    since: begun.toISOString(),
    status: 'all',
  })
  const worker = createDeliveryWorker({ integrations })
  onTestFinished(() => worker.stop({ deadlineMs: 0 }))
  await worker.start()

  await expect
    .poll(() => integrations.replays.get(admin, endpoint.id, id), { timeout: 20_000 })
    .toMatchObject({ state: 'completed', resent: 60 })
  expect(warnings).toEqual([
    [{ events: 50 }, 'a batch of a replay took too long; the next ones are smaller'],
    [{ events: 13 }, 'a batch of a replay took too long; the next ones are smaller'],
  ])
})
