/** Shared values, so that all examples tell one story. */
export const EXAMPLE = {
  organizationId: '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e',
  quotationId: '0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d',
  proposalId: '0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e',
  documentId: '3e8f1a6c-5b2d-4c7e-9f80-1a2b3c4d5e6f',
  apiKeyId: '0197a2e1-0a1b-7c2d-8e3f-405162738495',
  endpointId: '0197a2e5-9f8e-7d6c-ab5a-493827160514',
  replayId: '0197a2fb-4c5d-7e6f-9081-92a3b4c5d6e7',
  deliveryId: '0197a2fa-3b4c-7e21-9a43-8c5d6e7f8091',
  attemptId: '7d3c2b1a-0f9e-4d8c-8b7a-695847362514',
  eventId: '0197a2fa-3b4c-7d5e-8f60-718293a4b5c6',
  requestId: 'req-4f',
  startedAt: '2026-11-21T10:05:00.000Z',
  finishedAt: '2026-11-21T10:09:41.250Z',
} as const
