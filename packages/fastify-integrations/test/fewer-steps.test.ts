import { expect, it } from 'vitest'
import { useHost } from './support/host.ts'

const context = useHost({
  integrations: {
    pipeline: {
      steps: ['requirement_analysis', 'effort_estimation', 'proposal'],
      start: async () => {},
      signDocumentUrl: () => Promise.reject(new Error('not here')),
    },
  },
})

const PATH = '/v1/integrations/quotations'

it('A pipeline with fewer steps reports only those, and partners see the others as completed once a later one has begun', async () => {
  const { host, sql } = context
  const { key } = await host.createKey()
  const id = await host.startQuotation(key)
  const report = host.integrations.pipeline(id)
  const statuses = async () => {
    const { body } = await host.call('GET', `${PATH}/${id}/pipeline`, { key })
    return [(body['steps'] as { status: string }[]).map(({ status }) => status), body['progress']]
  }

  await report.stepCompleted('requirement_analysis')
  const first = ['completed', 'pending', 'pending', 'pending', 'pending']
  expect(await statuses()).toEqual([first, { completed: 1, total: 5 }])
  await expect(report.proposalReady()).rejects.toMatchObject({ code: 'STATE_CONFLICT' })
  await expect(report.stepStarted('work_breakdown')).rejects.toMatchObject({
    code: 'STATE_CONFLICT',
    message: expect.stringContaining(
      'pipeline.steps lists requirement_analysis, effort_estimation, proposal',
    ),
  })
  await report.stepStarted('effort_estimation')
  const second = ['completed', 'completed', 'completed', 'running', 'pending']
  expect(await statuses()).toEqual([second, { completed: 3, total: 5 }])
  await report.stepCompleted('effort_estimation')
  const proposal = await report.proposalReady({ name: 'Offer 7' })
  await report.completed()

  expect(await statuses()).toEqual([Array(5).fill('completed'), { completed: 5, total: 5 }])
  const asked = await host.call('GET', `${PATH}/${id}/proposal`, { key })
  expect(asked.body).toMatchObject({ id: proposal.id, name: 'Offer 7' })
  expect(await report.proposalReady()).toEqual(proposal)
  const events = await sql`select type from quickquote.events where quotation_id = ${id} order by id`
  expect(events.map(({ type }) => type)).toEqual([
    'quotation.requirement_analysis.completed',
    'quotation.effort_estimation.completed',
    'quotation.proposal.completed',
    'quotation.completed',
  ])
})
