import { describe, expect, it } from 'vitest'
import { auditChanges, auditEntry } from '../src/services/audit-log.ts'

const endpoint = {
  id: '0197a2e5-9f8e-7d6c-ab5a-493827160514',
  name: 'CRM',
  url: 'https://crm.example.com/hook?token=t0p#part',
  description: 'Moves the deal.',
  events: ['quotation.completed'],
  trigger_mode: 'always',
  is_enabled: true,
  secret_hint: 'whsec_…Wx8=',
  updated_at: new Date(0),
}

describe('auditChanges', () => {
  it('returns the changed fields with their old and new values', () => {
    const after = {
      ...endpoint,
      name: 'ERP',
      is_enabled: false,
      events: ['quotation.completed', 'quotation.failed'],
    }
    expect(auditChanges(endpoint, after)).toEqual([
      { field: 'name', from: 'CRM', to: 'ERP' },
      { field: 'events', from: ['quotation.completed'], to: ['quotation.completed', 'quotation.failed'] },
      { field: 'is_enabled', from: true, to: false },
    ])
  })

  it('is empty if no audited field changed', () => {
    expect(
      auditChanges(endpoint, { ...endpoint, events: [...endpoint.events], updated_at: new Date(1) }),
    ).toEqual([])
  })

  it('returns the first values of a new resource', () => {
    const expires_at = new Date('2027-11-21T00:00:00Z')
    expect(auditChanges({}, { id: endpoint.id, name: 'CRM', status: 'active', expires_at })).toEqual([
      { field: 'name', to: 'CRM' },
      { field: 'status', to: 'active' },
      { field: 'expires_at', to: '2027-11-21T00:00:00.000Z' },
    ])
  })

  it('drops the query and the fragment of a URL, but reports their change', () => {
    const after = { ...endpoint, url: 'https://crm.example.com/hook?token=other' }
    expect(auditChanges(endpoint, after)).toEqual([
      { field: 'url', from: 'https://crm.example.com/hook', to: 'https://crm.example.com/hook' },
    ])
  })

  it('names long texts and secrets without their values', () => {
    const after = { ...endpoint, description: null, secret_hint: 'whsec_…abcd' }
    expect(auditChanges(endpoint, after)).toEqual([{ field: 'description' }, { field: 'secret_hint' }])
  })

  it('omits fields that are not listed', () => {
    expect(auditChanges({}, { secret: 'whsec_abc', key: 'pk_abc', key_hash: Buffer.alloc(32) })).toEqual([])
  })

  it('treats a field that is missing afterwards as unchanged', () => {
    expect(auditChanges(endpoint, { name: 'CRM' })).toEqual([])
  })
})

describe('auditEntry', () => {
  it('records the actor, the action, the resource and the time', () => {
    const at = new Date('2026-11-21T10:05:00Z')
    const by = {
      organizationId: 'o',
      memberId: 'member-17',
      permissions: new Set<string>(),
      clientAddress: '198.51.100.7',
    }
    expect(
      auditEntry('webhook_endpoint.updated', endpoint, { by, changes: [{ field: 'name' }], at }),
    ).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/),
      organization_id: 'o',
      actor_id: 'member-17',
      client_address: '198.51.100.7',
      action: 'webhook_endpoint.updated',
      resource_type: 'webhook_endpoint',
      resource_id: endpoint.id,
      resource_name: 'CRM',
      changes: [{ field: 'name' }],
      created_at: at,
    })
  })
})
