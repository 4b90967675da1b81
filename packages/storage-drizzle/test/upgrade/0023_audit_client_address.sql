insert into "quickquote".audit_log (id, organization_id, actor_id, client_address, action, resource_type, resource_id,
  resource_name, changes, created_at)
values ('0197a2ff-0023-7c8d-9e0f-1a2b3c4d5e6f', '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e', 'member-1', '198.51.100.7',
  'webhook_endpoint.tested', 'webhook_endpoint', '0197a2ff-0023-7c8d-9e0f-000000000000', 'CRM', '[]', now());
