export interface paths {
    "/v1/integrations/quotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the quotations of the organization
         * @description The newest first, those of the web app included. Follow the `Link` header: a quotation that exists throughout is listed once, whatever is started or changed meanwhile.
         */
        get: operations["listQuotations"];
        put?: never;
        /**
         * Start a Quick Quote
         * @description Returns at once. Follow the quote by polling, or by webhooks. Whatever the body says about an organization is ignored: the key decides.
         */
        post: operations["startQuotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/quotations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the summary of a quotation */
        get: operations["getQuotation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/quotations/{id}/pipeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of a quotation, step by step */
        get: operations["getQuotationPipeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/quotations/{id}/proposal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the proposal of a quotation
         * @description Returns metadata only. The document has its own link, once `document_id` is set.
         */
        get: operations["getQuotationProposal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/proposals/{id}/document-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a short-lived link to the document of a proposal */
        get: operations["getProposalDocumentUrl"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the events of the organization
         * @description The oldest first, each with the bytes of its webhook, whether or not an endpoint subscribes to it. Keep the `Link` of each answer and go on from there: no event is skipped, and none comes twice. With `wait`, the answer to an empty page comes with the next event.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Lists keys in every state, including revoked ones, newest first.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description Only this response contains the key itself. The caller becomes its owner. An organization may have at most 100 keys that are neither revoked nor expired, and a member 25.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get an API key */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key permanently
         * @description Requests with the key are refused with 403 from now on. Its record stays. Does nothing to a key that is revoked.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Rename an API key
         * @description The expiry cannot be changed, and a revoked key keeps its name.
         */
        patch: operations["updateApiKey"];
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activate an API key
         * @description Has no effect on an active key. Expired and revoked keys cannot be activated.
         */
        post: operations["activateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deactivate an API key
         * @description Requests with the key are refused with 403 until it is activated. Has no effect on an inactive key.
         */
        post: operations["deactivateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a sample event
         * @description Sent once, as every delivery is sent, whether or not the endpoint is enabled. Answers when the receiver has answered. At most 10 a minute of one endpoint, and 60 in one organization; a test that is not sent does not count.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the event catalog
         * @description Each event type has an example payload.
         */
        get: operations["listWebhookEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhook endpoints
         * @description Lists endpoints, oldest first, without deleted ones.
         */
        get: operations["listWebhookEndpoints"];
        put?: never;
        /**
         * Create a webhook endpoint
         * @description Only this response contains the signing secret.
         */
        post: operations["createWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a webhook endpoint */
        get: operations["getWebhookEndpoint"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook endpoint
         * @description Nothing more is sent to it. Its delivery history is kept.
         */
        delete: operations["deleteWebhookEndpoint"];
        options?: never;
        head?: never;
        /**
         * Change a webhook endpoint
         * @description Any of the fields. Deliveries that are pending when an endpoint is disabled are parked: they are not sent later on their own.
         */
        patch: operations["updateWebhookEndpoint"];
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a new signing secret
         * @description The answer holds it, for the only time. With `overlap_seconds` deliveries also carry a signature of the old secret for that long, in a header of its own.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List delivery attempts
         * @description Lists attempts, including tests, newest first. Deleted endpoints can still be filtered by.
         */
        get: operations["listDeliveryAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/deliveries/hours": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count delivery attempts by hour
         * @description How many attempts succeeded and failed, for each hour (UTC) that had any; tests left out. At most seven days.
         */
        get: operations["countDeliveryAttempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/deliveries/{deliveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a delivery with all of its attempts
         * @description Shows the request, the responses of the receiver, and their duration.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/deliveries/{deliveryId}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resend the event of a delivery
         * @description As a new delivery to the same endpoint, with the same event id: receivers that deduplicate see it once. What is left of the old delivery, pending or parked, is dropped.
         */
        post: operations["resendDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replay missed events to an endpoint
         * @description Makes new deliveries, with the same event ids, of what happened in a span of time. It runs in the background: follow its progress.
         */
        post: operations["startReplay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/replay/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the events a replay would send
         * @description Sends nothing. Examines at most 20,000 events, oldest first.
         */
        get: operations["countReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/replays/{replayId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the progress of a replay */
        get: operations["getReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/audit-log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes of API keys and webhook endpoints
         * @description The newest first: changes, tests, resends and replays. Long texts and secrets are named only; URLs are kept without their queries.
         */
        get: operations["listAuditLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the signed-in member
         * @description Returns the signed-in member, their organizations, and their permissions in this one.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "quotation.requirement_analysis.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The requirement analysis step finished. */
        post: operations["on_quotation_requirement_analysis_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.functional_specification.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The functional specification step finished. */
        post: operations["on_quotation_functional_specification_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.work_breakdown.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The work breakdown step finished. */
        post: operations["on_quotation_work_breakdown_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.effort_estimation.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The effort estimation step finished. */
        post: operations["on_quotation_effort_estimation_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.proposal.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The proposal is ready. */
        post: operations["on_quotation_proposal_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.completed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The whole Quick Quote succeeded. */
        post: operations["on_quotation_completed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "quotation.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** The run failed. Nothing more follows for this run. */
        post: operations["on_quotation_failed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** StartQuotation */
        StartQuotation: {
            /** Format: name */
            name?: string | null;
            /** Format: text */
            description?: string | null;
            /** Format: uuid */
            config_id?: string | null;
            /** @description Data of your own, handed to the pipeline as it is. At most 16384 bytes of JSON. */
            metadata?: Record<string, unknown> | null;
            /**
             * Format: text
             * @description The requirements as text. To send files, send a form instead.
             */
            requirementsText: string;
        };
        /** StartQuotationForm */
        StartQuotationForm: {
            /** Format: name */
            name?: string;
            /** Format: text */
            description?: string;
            /** Format: uuid */
            config_id?: string;
            /**
             * Format: text
             * @description The requirements. Required unless at least one file is sent.
             */
            requirementsText?: string;
            /** @description Data of your own, handed to the pipeline as it is. At most 16384 bytes of JSON. */
            metadata?: Record<string, unknown>;
            /** @description Files with the requirements: docx, pdf, txt or md, at most 10485760 bytes each. Required unless `requirementsText` is sent. */
            files?: Blob[];
        };
        /** StartedQuotation */
        StartedQuotation: {
            /** Format: uuid */
            quotation_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed";
        };
        /** Problem */
        Problem: {
            /**
             * Format: uri
             * @description Names the kind of problem. Stable.
             */
            type: string;
            /** @description The kind of problem, in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What happened here, or what to do about it. */
            detail: string;
            /** @description The request id, as in `X-Request-Id`. */
            instance: string;
            /**
             * @description A stable code to switch on.
             * @enum {string}
             */
            code: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY" | "API_KEY_MISSING" | "API_KEY_INVALID" | "SESSION_REQUIRED" | "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION" | "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST" | "ROUTE_NOT_FOUND" | "QUOTATION_NOT_FOUND" | "PROPOSAL_NOT_FOUND" | "DOCUMENT_NOT_READY" | "API_KEY_NOT_FOUND" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "REPLAY_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "STATE_CONFLICT" | "API_KEY_LIMIT_REACHED" | "WEBHOOK_ENDPOINT_LIMIT_REACHED" | "IDEMPOTENCY_KEY_IN_USE" | "CURSOR_EXPIRED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
            /** @description The fields that are wrong, for a validation failure. */
            errors?: {
                /** @description A JSON pointer into the body; `:name` or `?name` for a part of the URL. */
                pointer: string;
                /** @description What is allowed there. */
                detail: string;
            }[];
        };
        /** Quotation */
        Quotation: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed";
            /**
             * @description The last step that finished.
             * @enum {string}
             */
            processed_step: "none" | "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal";
            /** @enum {string} */
            source: "ui" | "api_key";
            /** Format: uuid */
            config_id: string | null;
            error_code: string | null;
            /** @description The data of your own that the start was sent with. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** PipelineStatus */
        PipelineStatus: {
            /** Format: uuid */
            quotation_id: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed";
            /** @enum {string} */
            processed_step: "none" | "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal";
            progress: {
                completed: number;
                total: number;
            };
            steps: {
                /** @enum {string} */
                step: "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal";
                /** @enum {string} */
                status: "pending" | "running" | "completed" | "failed";
                /** Format: date-time */
                started_at: string | null;
                /** Format: date-time */
                completed_at: string | null;
                error_code: string | null;
            }[];
            error_code: string | null;
            /** Format: date-time */
            updated_at: string;
        };
        /** Proposal */
        Proposal: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            status: "completed";
            /** Format: uuid */
            document_id: string | null;
            /** Format: uuid */
            quotation_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** DocumentUrl */
        DocumentUrl: {
            /** Format: uri */
            url: string;
            /** Format: date-time */
            expires_at: string;
        };
        /** WebhookEvent */
        WebhookEvent: {
            /** @description Unique per event; deduplicate on it. */
            id: string;
            /** @description One of the catalog. */
            type: string;
            /**
             * Format: date-time
             * @description When it happened.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description Whose event it is.
             */
            organization_id: string;
            /** @description What happened: its fields are up to the type. */
            data: {
                [key: string]: unknown;
            };
        };
        /** ApiKey */
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who made the key. */
            owner_id: string;
            name: string;
            masked_key: string;
            /** @enum {string} */
            status: "active" | "inactive" | "expired" | "revoked";
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** CreateApiKey */
        CreateApiKey: {
            /** Format: name */
            name: string;
            /**
             * Format: date-time
             * @description In the future, at most 731 days away. It cannot be changed later.
             */
            expires_at: string;
        };
        /** CreatedApiKey */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who made the key. */
            owner_id: string;
            name: string;
            masked_key: string;
            /** @enum {string} */
            status: "active" | "inactive" | "expired" | "revoked";
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The key itself. It is not shown again. */
            key: string;
        };
        /** UpdateApiKey */
        UpdateApiKey: {
            /** Format: name */
            name: string;
        };
        /** TestDelivery */
        TestDelivery: {
            /**
             * @description An event type that the endpoint subscribes to.
             * @enum {string}
             */
            event_type: "quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed";
        };
        /** TestDeliveryResult */
        TestDeliveryResult: {
            /** @description Whether the receiver answered with a 2xx status. */
            success: boolean;
            http_status: number | null;
            error: string | null;
            /** Format: uuid */
            attempt_id: string;
        };
        /** CatalogEntry */
        CatalogEntry: {
            type: string;
            description: string;
            example: components["schemas"]["WebhookEvent"];
        };
        /** WebhookEndpoint */
        WebhookEndpoint: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            name: string;
            url: string;
            description: string | null;
            events: string[];
            /** @enum {string} */
            trigger_mode: "headless_only" | "always";
            /** @enum {string} */
            ordering: "none" | "quotation";
            /** @description The names of the headers of its own, sorted. Their values are never shown. */
            header_names: string[];
            is_enabled: boolean;
            /**
             * @description Null while it is enabled. `failing`: all deliveries failed for too long.
             * @enum {string|null}
             */
            disabled_reason: "requested" | "failing" | null;
            health: {
                /** Format: date-time */
                last_success_at: string | null;
                /**
                 * Format: date-time
                 * @description The first failure after the last success. Null while deliveries succeed.
                 */
                failing_since: string | null;
                /** @description How many of the last 100 attempts there are. */
                recent_attempts: number;
                /** @description The share of those that succeeded, from 0 to 1. Null without attempts. */
                recent_success_rate: number | null;
            };
            /** @description The first characters and the last four of the signing secret. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            previous_secret_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** CreateWebhookEndpoint */
        CreateWebhookEndpoint: {
            /** Format: name */
            name: string;
            /**
             * Format: text
             * @description HTTPS only.
             */
            url: string;
            /** @description Event types of the catalog. */
            events: ("quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed")[];
            /** Format: text */
            description?: string | null;
            /**
             * @default headless_only
             * @enum {string}
             */
            trigger_mode?: "headless_only" | "always";
            /**
             * @description `quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: no event waits for another.
             * @default none
             * @enum {string}
             */
            ordering?: "none" | "quotation";
            /** @description Headers that are sent with each delivery, for example `Authorization` for a gateway. At most 10, 4096 characters in all. No answer shows the values. */
            headers?: {
                [key: string]: string;
            } | null;
            /** @default true */
            is_enabled?: boolean;
        };
        /** WebhookEndpointWithSecret */
        WebhookEndpointWithSecret: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            name: string;
            url: string;
            description: string | null;
            events: string[];
            /** @enum {string} */
            trigger_mode: "headless_only" | "always";
            /** @enum {string} */
            ordering: "none" | "quotation";
            /** @description The names of the headers of its own, sorted. Their values are never shown. */
            header_names: string[];
            is_enabled: boolean;
            /**
             * @description Null while it is enabled. `failing`: all deliveries failed for too long.
             * @enum {string|null}
             */
            disabled_reason: "requested" | "failing" | null;
            health: {
                /** Format: date-time */
                last_success_at: string | null;
                /**
                 * Format: date-time
                 * @description The first failure after the last success. Null while deliveries succeed.
                 */
                failing_since: string | null;
                /** @description How many of the last 100 attempts there are. */
                recent_attempts: number;
                /** @description The share of those that succeeded, from 0 to 1. Null without attempts. */
                recent_success_rate: number | null;
            };
            /** @description The first characters and the last four of the signing secret. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description Until when the secret before the last rotation signs too.
             */
            previous_secret_expires_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The signing secret. It is not shown again. */
            secret: string;
        };
        /** UpdateWebhookEndpoint */
        UpdateWebhookEndpoint: {
            /** Format: name */
            name?: string;
            /**
             * Format: text
             * @description HTTPS only.
             */
            url?: string;
            /** @description Event types of the catalog. */
            events?: ("quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed")[];
            /** Format: text */
            description?: string | null;
            /** @enum {string} */
            trigger_mode?: "headless_only" | "always";
            /**
             * @description `quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: no event waits for another.
             * @enum {string}
             */
            ordering?: "none" | "quotation";
            /** @description Merged with the headers that the endpoint has: null removes a header, `headers: null` removes all of them. An update that moves `url` to another origin sends the whole new set. At most 10, 4096 characters in all. No answer shows the values. */
            headers?: {
                [key: string]: string | null;
            } | null;
            is_enabled?: boolean;
        };
        /** RotateSecret */
        RotateSecret: {
            /**
             * @description How long deliveries are signed with the old secret, too.
             * @default 0
             */
            overlap_seconds?: number;
        };
        /** DeliveryAttempt */
        DeliveryAttempt: {
            /** Format: uuid */
            id: string;
            event_id: string;
            event_type: string;
            /** Format: uuid */
            delivery_id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description The name today, of a deleted endpoint too. */
            endpoint_name?: string;
            /** @description 1 for the first. */
            attempt: number;
            /** @enum {string} */
            status: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
            http_status: number | null;
            error: string | null;
            duration_ms: number | null;
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Only when the quotation can be found; `[erased]` once it was erased. */
            quotation_name?: string;
            is_test: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at: string | null;
        };
        /** DeliveryHour */
        DeliveryHour: {
            /**
             * Format: date-time
             * @description When it began.
             */
            hour: string;
            /** @description Attempts that succeeded. */
            delivered: number;
            /** @description Attempts that did not. */
            failed: number;
        };
        /** DeliveryAttemptDetails */
        DeliveryAttemptDetails: {
            /** Format: uuid */
            id: string;
            event_id: string;
            event_type: string;
            /** Format: uuid */
            delivery_id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description The name today, of a deleted endpoint too. */
            endpoint_name?: string;
            /** @description 1 for the first. */
            attempt: number;
            /** @enum {string} */
            status: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
            http_status: number | null;
            error: string | null;
            duration_ms: number | null;
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Only when the quotation can be found; `[erased]` once it was erased. */
            quotation_name?: string;
            is_test: boolean;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description The signatures are left out; the value of each header of the endpoint's own is `…`. Null when nothing was sent. */
            request_headers: {
                [key: string]: string;
            } | null;
            /** @description The beginning of what the receiver answered, at most 1,024 bytes. */
            response_body: string | null;
            /** @description How long the receiver took to begin its answer. */
            first_byte_ms: number | null;
        };
        /** Delivery */
        Delivery: {
            /** Format: uuid */
            id: string;
            event_id: string;
            event_type: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description The name today, of a deleted endpoint too. */
            endpoint_name?: string;
            /** @enum {string} */
            status: "pending" | "sending" | "parked" | "succeeded" | "failed";
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Only when the quotation can be found; `[erased]` once it was erased. */
            quotation_name?: string;
            is_test: boolean;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description What every attempt sends, byte for byte. Null when the event is no longer kept; `[erased]` once its quotation was erased. */
            request_body: string | null;
            /** @description The first one first. */
            attempts: components["schemas"]["DeliveryAttemptDetails"][];
        };
        /** StartReplay */
        StartReplay: {
            /**
             * Format: date-time
             * @description Events that happened then or later.
             */
            since: string;
            /**
             * Format: date-time
             * @description Events that happened before then. Default: now.
             */
            until?: string;
            /**
             * @description `missed`: what never succeeded, whether or not it was tried. `failed`: of that, what was tried. `all`: what succeeded, too.
             * @default missed
             * @enum {string}
             */
            status?: "missed" | "failed" | "all";
        };
        /** Replay */
        Replay: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @enum {string} */
            state: "running" | "completed" | "stopped";
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until: string;
            /** @enum {string} */
            status: "missed" | "failed" | "all";
            progress: {
                /** @description Events of the organization that were looked at. */
                examined: number;
                /** @description Events of the organization in that time. */
                total: number;
            };
            /** @description Deliveries that were made. */
            resent: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** ReplayCount */
        ReplayCount: {
            /** @description Events that it would send, as far as they were counted. */
            events: number;
            /** @description Whether there are events that were not looked at. */
            is_more: boolean;
        };
        /** AuditEntry */
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who made the change; null for what the service did on its own. */
            actor_id: string | null;
            /** @description The IP address that the request came from; null where none was known, or the change came of no request. */
            client_address: string | null;
            /** @enum {string} */
            action: "api_key.created" | "api_key.updated" | "api_key.activated" | "api_key.deactivated" | "api_key.revoked" | "api_key.transferred" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.deleted" | "webhook_endpoint.tested" | "webhook_endpoint.delivery_resent" | "webhook_endpoint.replay_started" | "quotation.erased" | "organization.erased";
            /** @enum {string} */
            resource_type: "api_key" | "webhook_endpoint" | "quotation" | "organization";
            /** Format: uuid */
            resource_id: string;
            /** @description The name of the key or the endpoint after the change; `[erased]` of what was erased. */
            resource_name: string;
            /** @description The fields that changed. */
            changes: {
                field: string;
                from?: null | boolean | string[] | string;
                to?: null | boolean | string[] | string;
            }[];
            /** Format: date-time */
            created_at: string;
        };
        /** Me */
        Me: {
            member_id: string;
            organization: {
                /** Format: uuid */
                id: string;
                /** @description Null if the session has no name. */
                name: string | null;
            };
            /** @description The permissions of the member in this organization. */
            permissions: string[];
            /** @description All organizations of the member, including this one. */
            organizations: {
                /** Format: uuid */
                id: string;
                /** @description Null if the session has no name. */
                name: string | null;
            }[];
        };
        /** QuotationEventData */
        QuotationEventData: {
            /**
             * Format: uuid
             * @description The quotation that moved.
             */
            quotation_id: string;
            /**
             * Format: uuid
             * @description Its proposal, once there is one.
             */
            proposal_id: string | null;
            /**
             * @description The step; for a failure the failed step, or `unknown`.
             * @enum {string}
             */
            step: "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal" | "unknown";
            /**
             * @description `failed` for `quotation.failed` alone.
             * @enum {string}
             */
            status: "completed" | "failed";
            /** @description Why it failed, where that is known. */
            error_code: string | null;
            /**
             * @description Where the quote was started: by a partner, or in the web app.
             * @enum {string}
             */
            generation_source: "ui" | "api_key";
        };
    };
    responses: {
        /** @description `IDEMPOTENCY_KEY_IN_USE`: A request with this Idempotency-Key is still in progress. */
        IDEMPOTENCY_KEY_IN_USE: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:IDEMPOTENCY_KEY_IN_USE";
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_IN_USE";
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request is too large. */
        PAYLOAD_TOO_LARGE: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:PAYLOAD_TOO_LARGE";
                    /** @enum {unknown} */
                    status?: 413;
                    /** @enum {unknown} */
                    code?: "PAYLOAD_TOO_LARGE";
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: Unsupported media type. */
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:UNSUPPORTED_MEDIA_TYPE";
                    /** @enum {unknown} */
                    status?: 415;
                    /** @enum {unknown} */
                    code?: "UNSUPPORTED_MEDIA_TYPE";
                };
            };
        };
        /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key was already used for a different request. */
        IDEMPOTENCY_KEY_REUSED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:IDEMPOTENCY_KEY_REUSED";
                    /** @enum {unknown} */
                    status?: 422;
                    /** @enum {unknown} */
                    code?: "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RATE_LIMITED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:RATE_LIMITED";
                    /** @enum {unknown} */
                    status?: 429;
                    /** @enum {unknown} */
                    code?: "RATE_LIMITED";
                };
            };
        };
        /** @description `INTERNAL_ERROR`: Internal error. */
        INTERNAL_ERROR: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:INTERNAL_ERROR";
                    /** @enum {unknown} */
                    status?: 500;
                    /** @enum {unknown} */
                    code?: "INTERNAL_ERROR";
                };
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The service is temporarily unavailable. */
        SERVICE_UNAVAILABLE: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                /** @description Seconds to wait. */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:SERVICE_UNAVAILABLE";
                    /** @enum {unknown} */
                    status?: 503;
                    /** @enum {unknown} */
                    code?: "SERVICE_UNAVAILABLE";
                };
            };
        };
        /** @description `QUOTATION_NOT_FOUND`: Quotation not found. */
        QUOTATION_NOT_FOUND: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:QUOTATION_NOT_FOUND";
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "QUOTATION_NOT_FOUND";
                };
            };
        };
        /** @description `CURSOR_EXPIRED`: Events after this cursor are no longer kept. */
        CURSOR_EXPIRED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:CURSOR_EXPIRED";
                    /** @enum {unknown} */
                    status?: 410;
                    /** @enum {unknown} */
                    code?: "CURSOR_EXPIRED";
                };
            };
        };
        /** @description `SESSION_REQUIRED`: You are not signed in. */
        SESSION_REQUIRED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:SESSION_REQUIRED";
                    /** @enum {unknown} */
                    status?: 401;
                    /** @enum {unknown} */
                    code?: "SESSION_REQUIRED";
                };
            };
        };
        /** @description `API_KEY_LIMIT_REACHED`: API key limit reached. */
        API_KEY_LIMIT_REACHED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:API_KEY_LIMIT_REACHED";
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "API_KEY_LIMIT_REACHED";
                };
            };
        };
        /** @description `API_KEY_NOT_FOUND`: API key not found. */
        API_KEY_NOT_FOUND: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:API_KEY_NOT_FOUND";
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "API_KEY_NOT_FOUND";
                };
            };
        };
        /** @description `STATE_CONFLICT`: The current state does not allow this. */
        STATE_CONFLICT: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:STATE_CONFLICT";
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "STATE_CONFLICT";
                };
            };
        };
        /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found. */
        WEBHOOK_ENDPOINT_NOT_FOUND: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:WEBHOOK_ENDPOINT_NOT_FOUND";
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "WEBHOOK_ENDPOINT_NOT_FOUND";
                };
            };
        };
        /** @description `WEBHOOK_ENDPOINT_LIMIT_REACHED`: Webhook endpoint limit reached. */
        WEBHOOK_ENDPOINT_LIMIT_REACHED: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:WEBHOOK_ENDPOINT_LIMIT_REACHED";
                    /** @enum {unknown} */
                    status?: 409;
                    /** @enum {unknown} */
                    code?: "WEBHOOK_ENDPOINT_LIMIT_REACHED";
                };
            };
        };
        /** @description `DELIVERY_NOT_FOUND`: Delivery not found. */
        DELIVERY_NOT_FOUND: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:DELIVERY_NOT_FOUND";
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "DELIVERY_NOT_FOUND";
                };
            };
        };
        /** @description `REPLAY_NOT_FOUND`: Replay not found. */
        REPLAY_NOT_FOUND: {
            headers: {
                /** @description The ID of the request. Include it in support requests. */
                "X-Request-Id"?: string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {unknown} */
                    type?: "urn:problem-type:quickquote:REPLAY_NOT_FOUND";
                    /** @enum {unknown} */
                    status?: 404;
                    /** @enum {unknown} */
                    code?: "REPLAY_NOT_FOUND";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listQuotations: {
        parameters: {
            query?: {
                status?: "queued" | "running" | "completed" | "failed";
                source?: "ui" | "api_key";
                /** @description Quotes started then or later. */
                created_since?: string;
                /** @description Quotes started before then. */
                created_until?: string;
                limit?: number;
                /** @description Taken from the `next` link of the page before. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotations. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    /** @description The page that follows: `<…>; rel="next"` (RFC 8288), relative to this URL. Not sent with the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quotation"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED";
                    };
                };
            };
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    startQuotation: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your own. The same request under the same key starts nothing within 24 hours: it gets the first answer. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartQuotation"];
                "multipart/form-data": components["schemas"]["StartQuotationForm"];
            };
        };
        responses: {
            /** @description The quote was accepted and will run. */
            202: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    /** @description The path of the summary of the quotation. */
                    Location?: string;
                    /** @description Seconds to wait before polling. */
                    "Retry-After"?: number;
                    /** @description Sent if an earlier request with the same Idempotency-Key started the quote. */
                    "Idempotency-Replayed"?: "true";
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedQuotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            409: components["responses"]["IDEMPOTENCY_KEY_IN_USE"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            422: components["responses"]["IDEMPOTENCY_KEY_REUSED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getQuotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotation. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            404: components["responses"]["QUOTATION_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getQuotationPipeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All steps, in order. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineStatus"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            404: components["responses"]["QUOTATION_NOT_FOUND"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getQuotationProposal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            /** @description `QUOTATION_NOT_FOUND`: Quotation not found. `PROPOSAL_NOT_FOUND`: Proposal not found. */
            404: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:QUOTATION_NOT_FOUND" | "urn:problem-type:quickquote:PROPOSAL_NOT_FOUND";
                        /** @enum {unknown} */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "QUOTATION_NOT_FOUND" | "PROPOSAL_NOT_FOUND";
                    };
                };
            };
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getProposalDocumentUrl: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. Anyone who has it can read the document until it expires. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentUrl"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            /** @description `PROPOSAL_NOT_FOUND`: Proposal not found. `DOCUMENT_NOT_READY`: The proposal has no document yet. */
            404: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:PROPOSAL_NOT_FOUND" | "urn:problem-type:quickquote:DOCUMENT_NOT_READY";
                        /** @enum {unknown} */
                        status?: 404;
                        /** @enum {unknown} */
                        code?: "PROPOSAL_NOT_FOUND" | "DOCUMENT_NOT_READY";
                    };
                };
            };
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Where to go on: the cursor of a `next` link, the id of an event (`evt_…`), or `latest` for events from now on. Without it: the oldest event that is kept. */
                after?: string;
                /** @description Only events of these types, separated by commas. */
                types?: string;
                /** @description Only events of quotes that were started through the partner API, in the web app, or either. */
                generation_source?: "api_key" | "ui" | "all";
                limit?: number;
                /** @description Seconds to wait for an event when there is none yet. */
                wait?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events. The list may be empty even if more events follow at the `Link`. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description When the API key expires. Sent only during its last 30 days. */
                    "X-API-Key-Expires-At"?: string;
                    /** @description The limits that apply to this route (IETF RateLimit fields). */
                    "RateLimit-Policy"?: string;
                    /** @description The requests left (`r`), and the seconds until there are more (`t`). */
                    RateLimit?: string;
                    /** @description The next page: `<…>; rel="next"` (RFC 8288), relative to this URL. Always sent. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEvent"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {unknown} */
                        status?: 401;
                        /** @enum {unknown} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED";
                    };
                };
            };
            410: components["responses"]["CURSOR_EXPIRED"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description `me`: your own keys; `all`: those of every member, for holders of `manage_integrations`. */
                owner?: "me" | "all";
                limit?: number;
                /** @description Taken from the `next` link of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key records. The keys themselves are not shown again. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description The page that follows: `<…>; rel="next"` (RFC 8288), relative to this URL. Not sent with the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateApiKey"];
            };
        };
        responses: {
            /** @description The key record, and the key. */
            201: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            409: components["responses"]["API_KEY_LIMIT_REACHED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key record, without the key. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateApiKey"];
            };
        };
        responses: {
            /** @description The updated key record. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    activateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated key record. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    deactivateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated key record. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TestDelivery"];
            };
        };
        responses: {
            /** @description How it went. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDeliveryResult"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event catalog. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEntry"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints, without their secrets. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWebhookEndpoint"];
            };
        };
        responses: {
            /** @description The endpoint, and its signing secret. */
            201: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            409: components["responses"]["WEBHOOK_ENDPOINT_LIMIT_REACHED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, without its secret. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The answer has no body. */
            204: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateWebhookEndpoint"];
            };
        };
        responses: {
            /** @description The updated endpoint. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RotateSecret"];
            };
        };
        responses: {
            /** @description The endpoint, and its new signing secret. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listDeliveryAttempts: {
        parameters: {
            query?: {
                endpoint_id?: string;
                event_type?: "quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed";
                status?: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
                /** @description Only events that never reached the endpoint, each with its newest attempt; tests left out. `retrying`: another attempt is to come. `given_up`: none is. `all`: those, and what is parked. */
                undelivered?: "all" | "retrying" | "given_up";
                /** @description Attempts made then or later. */
                since?: string;
                /** @description Attempts made before then. */
                until?: string;
                limit?: number;
                /** @description Taken from the `next` link of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description The page that follows: `<…>; rel="next"` (RFC 8288), relative to this URL. Not sent with the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttempt"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    countDeliveryAttempts: {
        parameters: {
            query?: {
                endpoint_id?: string;
                /** @description Attempts made then or later: at most seven days before `until`. Default: a day before. */
                since?: string;
                /** @description Attempts made before then. Default: now. */
                until?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hours, oldest first. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHour"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["DELIVERY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery. */
            202: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["DELIVERY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    startReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartReplay"];
            };
        };
        responses: {
            /** @description The replay has begun. */
            202: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description The path of its progress. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    countReplay: {
        parameters: {
            query: {
                /** @description Events that happened then or later. */
                since: string;
                /** @description Events that happened before then. Default: now. */
                until?: string;
                /** @description `missed`: what never succeeded, whether or not it was tried. `failed`: of that, what was tried. `all`: what succeeded, too. */
                status?: "missed" | "failed" | "all";
            };
            header?: never;
            path: {
                organizationId: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCount"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
                id: string;
                replayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The replay. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            404: components["responses"]["REPLAY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description One key or endpoint. */
                resource_id?: string;
                action?: "api_key.created" | "api_key.updated" | "api_key.activated" | "api_key.deactivated" | "api_key.revoked" | "api_key.transferred" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.deleted" | "webhook_endpoint.tested" | "webhook_endpoint.delivery_resent" | "webhook_endpoint.replay_started" | "quotation.erased" | "organization.erased";
                /** @description Changes made then or later. */
                since?: string;
                /** @description Changes made before then. */
                until?: string;
                limit?: number;
                /** @description Taken from the `next` link of the page before. */
                cursor?: string;
            };
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    /** @description The page that follows: `<…>; rel="next"` (RFC 8288), relative to this URL. Not sent with the last page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {unknown} */
                        status?: 400;
                        /** @enum {unknown} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `ORGANIZATION_ERASED`: The organization is being erased. */
            403: {
                headers: {
                    /** @description The ID of the request. Include it in support requests. */
                    "X-Request-Id"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:ORGANIZATION_ERASED";
                        /** @enum {unknown} */
                        status?: 403;
                        /** @enum {unknown} */
                        code?: "NOT_A_MEMBER" | "ORGANIZATION_ERASED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    on_quotation_requirement_analysis_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.requirement_analysis.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.requirement_analysis.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_functional_specification_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.functional_specification.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.functional_specification.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_work_breakdown_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.work_breakdown.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.work_breakdown.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_effort_estimation_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.effort_estimation.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.effort_estimation.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_proposal_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.proposal.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.proposal.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_completed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.completed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.completed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    on_quotation_failed: {
        parameters: {
            query?: never;
            header: {
                /** @description The `id` of the payload. Deduplicate on it. */
                "X-Service-Event-Id": string;
                /** @description The `type` of the payload. */
                "X-Service-Event-Type": "quotation.failed";
                /** @description The number of the event within its quotation, from 1. Not sent for events without a quotation. */
                "X-Service-Event-Sequence"?: number;
                /** @description Unix time in seconds when the delivery was signed. */
                "X-Service-Timestamp": number;
                /** @description `v1=` and the lowercase hex HMAC-SHA256 over timestamp, dot and raw body, keyed with the signing secret. */
                "X-Service-Signature": string;
                /** @description The same, keyed with the secret before the last rotation: only while that one overlaps. */
                "X-Service-Signature-Previous"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookEvent"] & {
                    /** @enum {unknown} */
                    type?: "quotation.failed";
                    data?: components["schemas"]["QuotationEventData"];
                };
            };
        };
        responses: {
            /** @description The receiver does not want this event: it is not sent again. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was received. Respond within 10 seconds. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The event was not received: it is retried later, up to 8 attempts in all. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
