// Generated from the OpenAPI document.
export const EXAMPLES = [
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.requirement_analysis.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": null,
      "step": "requirement_analysis",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.functional_specification.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": null,
      "step": "functional_specification",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.work_breakdown.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": null,
      "step": "work_breakdown",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.effort_estimation.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": null,
      "step": "effort_estimation",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.proposal.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": "0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e",
      "step": "proposal",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.completed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": "0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e",
      "step": "proposal",
      "status": "completed",
      "error_code": null,
      "generation_source": "api_key"
    }
  },
  {
    "id": "evt_0197a2fa-3b4c-7d5e-8f60-718293a4b5c6",
    "created_at": "2026-11-21T10:09:41.250Z",
    "type": "quotation.failed",
    "organization_id": "6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e",
    "data": {
      "quotation_id": "0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d",
      "proposal_id": null,
      "step": "work_breakdown",
      "status": "failed",
      "error_code": "MODEL_TIMEOUT",
      "generation_source": "api_key"
    }
  }
] as const
