import type { Storage } from '@quickquote/core/internal'
import type { Database } from '../connection/database.ts'
import { FIND_ATTEMPTS, FIND_UNFINISHED } from './delivery-log.sql.ts'
import { eventParameters } from './events.ts'
import { INSERT_TEST, REPEAT_TEST, WITHDRAW_TEST } from './test-deliveries.sql.ts'

export function testDeliveryStorage({ call, run, wake }: Database): Storage['testDeliveries'] {
  return {
    insert: (event, { id: delivery_id, endpointId: endpoint_id, check_kind = null }) =>
      call('testDeliveries.insert', async () => {
        await run(INSERT_TEST, { delivery_id, endpoint_id, check_kind, ...eventParameters(event) })
        await wake('deliveries')
      }),

    repeat: ({ id, organization_id }, { endpointId: endpoint_id, check_kind = null }) =>
      call('testDeliveries.repeat', async () => {
        const of = { id, organization_id, endpoint_id, check_kind }
        const [repeated] = await run(REPEAT_TEST, of)
        if (repeated !== undefined) await wake('deliveries')
        return repeated?.id ?? null
      }),

    find: (organizationId, id) =>
      call('testDeliveries.find', async () => {
        const which = { organization_id: organizationId, id }
        // In this order: a worker removes the delivery and records its attempt together.
        const [delivery] = await run(FIND_UNFINISHED, which)
        if (delivery !== undefined) {
          return { state: delivery.status === 'sending' ? 'sending' : 'waiting', attempt: null }
        }
        const [attempt] = await run(FIND_ATTEMPTS, which)
        return { state: 'over', attempt: attempt ?? null }
      }),

    withdraw: (organizationId, id) =>
      call('testDeliveries.withdraw', async () => {
        const withdrawn = await run(WITHDRAW_TEST, { organization_id: organizationId, id })
        return withdrawn.length > 0
      }),
  }
}
