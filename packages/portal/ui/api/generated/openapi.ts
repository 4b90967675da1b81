export interface paths {
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
        /**
         * Get an API key
         * @description The key itself is shown only when it is created: `masked_key` is its beginning and end. Members see their own keys, holders of `manage_integrations` or `view_integrations` every key.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key permanently
         * @description Requests with the key are refused with 403 from now on. Its record is kept. Has no effect on a revoked key.
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
    "/v1/organizations/{organizationId}/api-keys/{id}/uses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * See what was done with an API key
         * @description Counts the requests with the key by day, and lists the newest ones, also those that were refused. A request is listed within ten seconds; a crash loses that much.
         */
        get: operations["getApiKeyUses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{id}/quotations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the quotes started with an API key
         * @description Lists the newest 20 of the last 30 days. Empty if the application keeps quotes in its own tables.
         */
        get: operations["listApiKeyQuotations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/api-keys/{id}/roll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll an API key
         * @description Creates a key with the same name in place of an active one, which keeps working for `overlap_seconds`. Only this response contains the new key. The caller becomes its owner. The old key no longer counts for the limits.
         */
        post: operations["rollApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
         * @description Sent once, like any delivery, whether or not the endpoint is enabled. Waits for the receiver's response. At most 10 per minute and endpoint, and 60 per minute and organization; a test that is not sent does not count.
         */
        post: operations["testWebhookEndpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the receiver
         * @description Sends, as tests, a genuine event, one with forged signatures, one with a timestamp of ten minutes ago, the genuine one again (the receiver may act on it twice), and during the overlap of a rotation one with the signature of the previous secret alone. Compares each response with that of a good receiver, which responds to a repeated event with 2xx. The repeated one is sent once the genuine one has been answered, if that takes less than five seconds. Counts as five tests, or as all tests per minute if those are fewer.
         */
        post: operations["checkWebhookReceiver"];
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
    "/v1/organizations/{organizationId}/webhooks/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Summarize the webhook endpoints
         * @description A hundred bytes for a screen that looks often: list the endpoints again once it has changed.
         */
        get: operations["summarizeWebhookEndpoints"];
        put?: never;
        post?: never;
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
        /**
         * Get a webhook endpoint
         * @description The signing secret and the values of headers are never returned. A deleted endpoint is not found.
         */
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
         * @description Changes only the given fields. Pending deliveries of a disabled endpoint are parked: they are not sent automatically later.
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
         * @description Only this response contains the secret. With `overlap_seconds`, deliveries also carry a signature of the old secret for that long, in a separate header. Another rotation meanwhile changes nothing about that, unless three earlier secrets still sign: then it ends the oldest.
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
         * @description Lists attempts, including tests, newest first. You can still filter by a deleted endpoint. Where few of many attempts match, a page may be short or empty although there is a next one.
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
         * @description Counts successful, failed and given-up attempts per hour (UTC), without tests and without empty hours. At most seven days.
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
    "/v1/organizations/{organizationId}/webhooks/{id}/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get response times and failures of a webhook endpoint
         * @description Covers the newest 1,000 attempts, without tests. The times are those of attempts with a response.
         */
        get: operations["getEndpointStatistics"];
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
         * @description Returns the request, the responses of the receiver, and their durations.
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
         * @description Creates a new delivery to the same endpoint, with the same event ID: receivers that deduplicate see it once. A pending or parked old delivery is dropped.
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
         * @description Creates new deliveries, with the same event IDs, of events in a period. Runs in the background.
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
        /**
         * Get the progress of a replay
         * @description A replay runs in the background. Poll until its `state` is `completed` or `stopped`.
         */
        get: operations["getReplay"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/replays": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the replays of a webhook endpoint
         * @description Lists the newest 20, newest first.
         */
        get: operations["listReplays"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/organizations/{organizationId}/webhooks/{id}/replays/{replayId}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a replay
         * @description Deliveries that it has already created are still sent. A stopped replay is returned unchanged.
         */
        post: operations["stopReplay"];
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
         * @description Lists changes, tests, resends and replays, newest first. For long texts and secrets, only the name of the field is recorded; URLs are recorded without their queries.
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
         * @description Returns the signed-in member, their organizations, and their permissions in this one, and the limits of the service.
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
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** ApiKey */
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who created the key. */
            owner_id: string;
            /** @description Present if the application names its members. Null if it does not know the owner. */
            owner_name?: string | null;
            name: string;
            masked_key: string;
            /** @enum {string} */
            status: "active" | "inactive" | "expired" | "revoked";
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: uuid
             * @description The key that a roll created in its place. Null if it was not rolled.
             */
            replaced_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** Problem */
        Problem: {
            /**
             * Format: uri
             * @description Identifies the kind of problem. Stable.
             */
            type: string;
            /** @description A summary of the kind of problem. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What happened, or what to do about it. */
            detail: string;
            /** @description The request ID, as in `X-Request-Id`. */
            instance: string;
            /**
             * @description A stable code for programs.
             * @enum {string}
             */
            code: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY" | "API_KEY_MISSING" | "API_KEY_INVALID" | "SESSION_REQUIRED" | "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION" | "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "ORGANIZATION_ERASED" | "CROSS_SITE_REQUEST" | "ROUTE_NOT_FOUND" | "QUOTATION_NOT_FOUND" | "PROPOSAL_NOT_FOUND" | "DOCUMENT_NOT_READY" | "API_KEY_NOT_FOUND" | "WEBHOOK_ENDPOINT_NOT_FOUND" | "DELIVERY_NOT_FOUND" | "REPLAY_NOT_FOUND" | "METHOD_NOT_ALLOWED" | "STATE_CONFLICT" | "QUOTATION_ENDED" | "API_KEY_LIMIT_REACHED" | "WEBHOOK_ENDPOINT_LIMIT_REACHED" | "IDEMPOTENCY_KEY_IN_USE" | "CURSOR_EXPIRED" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "IDEMPOTENCY_KEY_REUSED" | "RATE_LIMITED" | "REQUEST_REFUSED" | "INTERNAL_ERROR" | "SERVICE_UNAVAILABLE";
            /** @description The invalid fields, for a validation failure. */
            errors?: {
                /** @description A JSON pointer into the body; `:name` or `?name` for a part of the URL. */
                pointer: string;
                /** @description What is allowed. */
                detail: string;
            }[];
        };
        /** CreateApiKey */
        CreateApiKey: {
            /** Format: name */
            name: string;
            /**
             * Format: date-time
             * @description In the future, at most 731 days from now. It cannot be changed later, except that a roll ends a key earlier.
             */
            expires_at: string;
        };
        /** CreatedApiKey */
        CreatedApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who created the key. */
            owner_id: string;
            /** @description Present if the application names its members. Null if it does not know the owner. */
            owner_name?: string | null;
            name: string;
            masked_key: string;
            /** @enum {string} */
            status: "active" | "inactive" | "expired" | "revoked";
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            last_used_at: string | null;
            /**
             * Format: uuid
             * @description The key that a roll created in its place. Null if it was not rolled.
             */
            replaced_by: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The key itself. It is shown only once. */
            key: string;
        };
        /** UpdateApiKey */
        UpdateApiKey: {
            /** Format: name */
            name: string;
        };
        /** ApiKeyUses */
        ApiKeyUses: {
            /** @description The last 30 days, oldest first. */
            days: {
                /**
                 * Format: date
                 * @description The day, in UTC.
                 */
                date: string;
                /** @description Requests that succeeded: a status below 400. */
                answered: number;
                /** @description All others, including those that the key was not allowed to make. */
                refused: number;
                /** @description The same requests, by the class of their status. */
                statuses: {
                    "2xx": number;
                    "3xx": number;
                    "4xx": number;
                    "5xx": number;
                };
            }[];
            /** @description The newest 100, newest first. */
            requests: {
                /** Format: date-time */
                at: string;
                method: string;
                /** @description The pattern of the path, such as `/v1/integrations/quotations/:id`. */
                route: string;
                status: number;
                /** @description The IP address. Null if the application does not record it. */
                address: string | null;
                /** @description The `X-Request-Id` of the response. */
                request_id: string;
            }[];
        };
        /** ApiKeyQuotation */
        ApiKeyQuotation: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed";
            /** Format: date-time */
            created_at: string;
        };
        /** RollApiKey */
        RollApiKey: {
            /**
             * Format: date-time
             * @description In the future, at most 731 days from now. It cannot be changed later, except that a roll ends a key earlier.
             */
            expires_at: string;
            /**
             * @description Seconds for which the old key keeps working, unless it expires earlier.
             * @default 86400
             */
            overlap_seconds?: number;
        };
        /** TestDelivery */
        TestDelivery: {
            /**
             * @description One of the event types of the endpoint.
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
        /** ReceiverCheckRequest */
        ReceiverCheckRequest: {
            /**
             * @description One of the event types of the endpoint. Default: its first.
             * @enum {string}
             */
            event_type?: "quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed";
        };
        /** ReceiverCheck */
        ReceiverCheck: {
            /** @description What to do first, in a sentence. */
            verdict: string;
            /** @description `previous_secret` only during the overlap of a rotation. */
            results: {
                /** @enum {string} */
                kind: "genuine" | "forged" | "old" | "repeated" | "previous_secret";
                /**
                 * @description The response of a good receiver.
                 * @enum {string}
                 */
                expected: "2xx" | "4xx";
                http_status: number | null;
                error: string | null;
                /** @description Whether the response was the expected one. 429 never is: it says nothing about the delivery. */
                passed: boolean;
            }[];
        };
        /** CatalogEntry */
        CatalogEntry: {
            type: string;
            description: string;
            example: components["schemas"]["WebhookEvent"];
            /** @description Addresses and CIDRs that webhooks come from, for your firewall. Absent if the service does not publish them. */
            source_addresses?: string[];
        };
        /** WebhookEvent */
        WebhookEvent: {
            /** @description Unique per event. Use it to deduplicate. */
            id: string;
            /** @description An event type of the catalog. */
            type: string;
            /**
             * Format: date-time
             * @description The time of the event.
             */
            created_at: string;
            /**
             * Format: uuid
             * @description The organization of the event.
             */
            organization_id: string;
            /** @description The data of the event. Its fields depend on the type. */
            data: {
                [key: string]: unknown;
            };
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
            /** @description The sorted names of the endpoint's own headers. Their values are never shown. */
            header_names: string[];
            is_enabled: boolean;
            /**
             * @description Null while the endpoint is enabled. `failing`: all deliveries have failed for too long.
             * @enum {string|null}
             */
            disabled_reason: "requested" | "failing" | null;
            health: {
                /** Format: date-time */
                last_success_at: string | null;
                /**
                 * Format: date-time
                 * @description The first failure since the last success. Null while deliveries succeed.
                 */
                failing_since: string | null;
                /** @description The number of recent attempts, at most 100. */
                recent_attempts: number;
                /** @description The share of them that succeeded, from 0 to 1. Null without attempts. */
                recent_success_rate: number | null;
                /** @description The newest change of the endpoint before `failing_since`, which need not be the reason. Null if it does not fail, or none is known. */
                changed_before_failing: {
                    /** @enum {string} */
                    action: "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated";
                    /** @description Null for a change by the service. */
                    actor_id: string | null;
                    /** @description Present if the application names its members. Null if it does not know the actor. */
                    actor_name?: string | null;
                    /** Format: date-time */
                    at: string;
                } | null;
            };
            /**
             * Format: date-time
             * @description The receiver asked for a pause until then (429, or 503 with `Retry-After`). Null while it is not paused.
             */
            paused_until: string | null;
            /** @description The first characters and the last four of the signing secret. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description The time until which the newest previous secret also signs. Null if none does.
             */
            previous_secret_expires_at: string | null;
            /** @description The previous secrets that also sign, newest first. At most 3. */
            previous_secrets: {
                /** @description The first characters and the last four of the secret. */
                secret_hint: string;
                /** Format: date-time */
                expires_at: string;
            }[];
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
             * @description HTTPS only, with a public host.
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
             * @description `quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: events do not wait for each other.
             * @default none
             * @enum {string}
             */
            ordering?: "none" | "quotation";
            /** @description Headers to send with each delivery, for example `Authorization` for a gateway. At most 10, 4096 characters in total. Responses never contain the values. */
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
            /** @description The sorted names of the endpoint's own headers. Their values are never shown. */
            header_names: string[];
            is_enabled: boolean;
            /**
             * @description Null while the endpoint is enabled. `failing`: all deliveries have failed for too long.
             * @enum {string|null}
             */
            disabled_reason: "requested" | "failing" | null;
            health: {
                /** Format: date-time */
                last_success_at: string | null;
                /**
                 * Format: date-time
                 * @description The first failure since the last success. Null while deliveries succeed.
                 */
                failing_since: string | null;
                /** @description The number of recent attempts, at most 100. */
                recent_attempts: number;
                /** @description The share of them that succeeded, from 0 to 1. Null without attempts. */
                recent_success_rate: number | null;
                /** @description The newest change of the endpoint before `failing_since`, which need not be the reason. Null if it does not fail, or none is known. */
                changed_before_failing: {
                    /** @enum {string} */
                    action: "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated";
                    /** @description Null for a change by the service. */
                    actor_id: string | null;
                    /** @description Present if the application names its members. Null if it does not know the actor. */
                    actor_name?: string | null;
                    /** Format: date-time */
                    at: string;
                } | null;
            };
            /**
             * Format: date-time
             * @description The receiver asked for a pause until then (429, or 503 with `Retry-After`). Null while it is not paused.
             */
            paused_until: string | null;
            /** @description The first characters and the last four of the signing secret. */
            secret_hint: string;
            /**
             * Format: date-time
             * @description The time until which the newest previous secret also signs. Null if none does.
             */
            previous_secret_expires_at: string | null;
            /** @description The previous secrets that also sign, newest first. At most 3. */
            previous_secrets: {
                /** @description The first characters and the last four of the secret. */
                secret_hint: string;
                /** Format: date-time */
                expires_at: string;
            }[];
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The signing secret. It is shown only once. */
            secret: string;
        };
        /** WebhookSummary */
        WebhookSummary: {
            /** @description How many there are. */
            endpoints: number;
            /** @description Those that fail, deliver less than 90%, or were disabled because they failed. */
            troubled: number;
            /**
             * Format: date-time
             * @description The newest `updated_at` of the endpoints. Null if there are none.
             */
            changed_at: string | null;
        };
        /** UpdateWebhookEndpoint */
        UpdateWebhookEndpoint: {
            /** Format: name */
            name?: string;
            /**
             * Format: text
             * @description HTTPS only, with a public host.
             */
            url?: string;
            /** @description Event types of the catalog. */
            events?: ("quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed")[];
            /** Format: text */
            description?: string | null;
            /** @enum {string} */
            trigger_mode?: "headless_only" | "always";
            /**
             * @description `quotation`: an event waits until the previous event of its quotation has been delivered to this endpoint, or has ended (given up, 410, parked). `none`: events do not wait for each other.
             * @enum {string}
             */
            ordering?: "none" | "quotation";
            /** @description Merged with the existing headers: null removes a header, `headers: null` removes all of them. An update that moves `url` to another origin must send the complete new set. At most 10, 4096 characters in total. Responses never contain the values. */
            headers?: {
                [key: string]: string | null;
            } | null;
            is_enabled?: boolean;
        };
        /** RotateSecret */
        RotateSecret: {
            /**
             * @description Seconds for which deliveries are also signed with the old secret. Earlier ones keep the end they were given.
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
            /** @description The current name. Deleted endpoints keep theirs. */
            endpoint_name?: string;
            /** @description 1 for the first. */
            attempt: number;
            /** @description The URL to which it was sent, without its query. Null if the attempt was interrupted: it may not have been sent. */
            url: string | null;
            /** @enum {string} */
            status: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
            http_status: number | null;
            error: string | null;
            duration_ms: number | null;
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Present only if the quotation can be found. `[erased]` once it has been erased. */
            quotation_name?: string;
            is_test: boolean;
            /**
             * @description Which delivery of a receiver check it is; null for any other. `forged` has wrong signatures, `old` a timestamp of ten minutes before, `previous_secret` only the signature of the previous secret.
             * @enum {string|null}
             */
            check_kind: "genuine" | "forged" | "old" | "repeated" | "previous_secret" | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at: string | null;
        };
        /** DeliveryHour */
        DeliveryHour: {
            /**
             * Format: date-time
             * @description The start of the hour.
             */
            hour: string;
            /** @description Successful attempts. */
            delivered: number;
            /** @description Failed attempts. */
            failed: number;
            /** @description Failed attempts that were the last of their delivery. */
            given_up: number;
        };
        /** EndpointStatistics */
        EndpointStatistics: {
            /** @description Attempts, without tests. */
            attempts: number;
            median_ms: number | null;
            p95_ms: number | null;
            /** @description Failed attempts by reason. */
            failures: {
                /** @description No response in time. */
                timeout: number;
                /** @description The certificate or the TLS handshake. */
                tls: number;
                /** @description The connection was refused. */
                refused: number;
                /** @description 4xx. */
                client_error: number;
                /** @description 5xx. */
                server_error: number;
                /** @description All others, such as DNS errors and redirects. */
                other: number;
            };
        };
        /** Delivery */
        Delivery: {
            /** Format: uuid */
            id: string;
            event_id: string;
            event_type: string;
            /** Format: uuid */
            endpoint_id: string;
            /** @description The current name. Deleted endpoints keep theirs. */
            endpoint_name?: string;
            /** @enum {string} */
            status: "pending" | "sending" | "parked" | "succeeded" | "failed";
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Present only if the quotation can be found. `[erased]` once it has been erased. */
            quotation_name?: string;
            is_test: boolean;
            /** Format: date-time */
            next_attempt_at: string | null;
            /**
             * Format: uuid
             * @description The newest delivery that a resend of this one created, for as long as the audit log keeps the resend.
             */
            resent_as: string | null;
            /**
             * Format: uuid
             * @description The delivery whose resend created this one, for as long as the audit log keeps the resend.
             */
            resent_from: string | null;
            /** @description The exact bytes that each attempt sends. Null once the event is no longer kept; `[erased]` once its quotation has been erased; null for viewers, if the application hides bodies from them. */
            request_body: string | null;
            /** @description Oldest first. */
            attempts: components["schemas"]["DeliveryAttemptDetails"][];
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
            /** @description The current name. Deleted endpoints keep theirs. */
            endpoint_name?: string;
            /** @description 1 for the first. */
            attempt: number;
            /** @description The URL to which it was sent, without its query. Null if the attempt was interrupted: it may not have been sent. */
            url: string | null;
            /** @enum {string} */
            status: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
            http_status: number | null;
            error: string | null;
            duration_ms: number | null;
            /** Format: uuid */
            quotation_id: string | null;
            /** @description Present only if the quotation can be found. `[erased]` once it has been erased. */
            quotation_name?: string;
            is_test: boolean;
            /**
             * @description Which delivery of a receiver check it is; null for any other. `forged` has wrong signatures, `old` a timestamp of ten minutes before, `previous_secret` only the signature of the previous secret.
             * @enum {string|null}
             */
            check_kind: "genuine" | "forged" | "old" | "repeated" | "previous_secret" | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            next_attempt_at: string | null;
            /** @description Without the signatures. The value of each header of the endpoint's own is `…`. Null if nothing was sent. */
            request_headers: {
                [key: string]: string;
            } | null;
            /** @description The beginning of the response body, at most 1,024 bytes. Null for viewers, if the application hides bodies from them. */
            response_body: string | null;
            /** @description Those that help to find a mistake, such as `server`, `location` or `www-authenticate`, of a response that was no success. Otherwise null. */
            response_headers: {
                [key: string]: string;
            } | null;
            /** @description Milliseconds until the first byte of the response. */
            first_byte_ms: number | null;
        };
        /** StartReplay */
        StartReplay: {
            /**
             * Format: date-time
             * @description Events at this time or later.
             */
            since: string;
            /**
             * Format: date-time
             * @description Events before this time. Default: now.
             */
            until?: string;
            /**
             * @description `missed`: events that were never delivered, whether attempted or not. `failed`: only those that were attempted. `all`: also those that were delivered.
             * @default missed
             * @enum {string}
             */
            status?: "missed" | "failed" | "all";
            /** @description Only events of this type of the catalog. Default: all that the endpoint subscribes to. */
            event_type?: string;
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
            /** @description Null: all types. */
            event_type: string | null;
            progress: {
                /** @description Examined events of the organization. */
                examined: number;
                /** @description Events of the organization in this period. */
                total: number;
            };
            /** @description Created deliveries. */
            resent: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        /** ReplayCount */
        ReplayCount: {
            /** @description The events that the replay would send, as far as they were counted. */
            events: number;
            /** @description Whether there are more events that were not examined. */
            is_more: boolean;
        };
        /** AuditEntry */
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            organization_id: string;
            /** @description The member who made the change. Null for changes made by the service. */
            actor_id: string | null;
            /** @description Present if the application names its members. Null if it does not know the actor. */
            actor_name?: string | null;
            /** @description The IP address of the request. Null if unknown, or if the change was not made by a request. */
            client_address: string | null;
            /** @enum {string} */
            action: "api_key.created" | "api_key.updated" | "api_key.activated" | "api_key.deactivated" | "api_key.revoked" | "api_key.transferred" | "api_key.rolled" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.deleted" | "webhook_endpoint.tested" | "webhook_endpoint.checked" | "webhook_endpoint.delivery_resent" | "webhook_endpoint.replay_started" | "webhook_endpoint.replay_stopped" | "quotation.erased" | "organization.erased";
            /** @enum {string} */
            resource_type: "api_key" | "webhook_endpoint" | "quotation" | "organization";
            /** Format: uuid */
            resource_id: string;
            /** @description The name of the key or the endpoint after the change; `[erased]` if it was erased. */
            resource_name: string;
            /** @description The changed fields. */
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
            /** @description Present if the application names its members. Null if it does not know this one. */
            member_name?: string | null;
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
            /** @description The limits of this service. */
            limits: {
                /** @description Webhook endpoints of an organization. */
                webhook_endpoints: number;
                /** @description API keys of a member that may still work. */
                api_keys_per_member: number;
                /** @description The longest lifetime of an API key, in days. */
                api_key_max_days: number;
                /** @description Days for which events and deliveries are kept. */
                event_days: number;
                /** @description How long every delivery must fail until an endpoint is disabled. 0: never. */
                disable_after_ms: number;
            };
        };
    };
    responses: {
        /** @description `SESSION_REQUIRED`: You are not signed in. */
        SESSION_REQUIRED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:SESSION_REQUIRED";
                    /** @enum {integer} */
                    status?: 401;
                    /** @enum {string} */
                    code?: "SESSION_REQUIRED";
                };
            };
        };
        /** @description `INTERNAL_ERROR`: Internal error. */
        INTERNAL_ERROR_2: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:INTERNAL_ERROR";
                    /** @enum {integer} */
                    status?: 500;
                    /** @enum {string} */
                    code?: "INTERNAL_ERROR";
                };
            };
        };
        /** @description `SERVICE_UNAVAILABLE`: The service is temporarily unavailable. */
        SERVICE_UNAVAILABLE_2: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After_2"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:SERVICE_UNAVAILABLE";
                    /** @enum {integer} */
                    status?: 503;
                    /** @enum {string} */
                    code?: "SERVICE_UNAVAILABLE";
                };
            };
        };
        /** @description `API_KEY_LIMIT_REACHED`: API key limit reached. */
        API_KEY_LIMIT_REACHED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:API_KEY_LIMIT_REACHED";
                    /** @enum {integer} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "API_KEY_LIMIT_REACHED";
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request is too large. */
        PAYLOAD_TOO_LARGE_2: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:PAYLOAD_TOO_LARGE";
                    /** @enum {integer} */
                    status?: 413;
                    /** @enum {string} */
                    code?: "PAYLOAD_TOO_LARGE";
                };
            };
        };
        /** @description `UNSUPPORTED_MEDIA_TYPE`: Unsupported media type. */
        UNSUPPORTED_MEDIA_TYPE_2: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:UNSUPPORTED_MEDIA_TYPE";
                    /** @enum {integer} */
                    status?: 415;
                    /** @enum {string} */
                    code?: "UNSUPPORTED_MEDIA_TYPE";
                };
            };
        };
        /** @description `NOT_A_MEMBER`: You have no access to this organization. */
        NOT_A_MEMBER: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:NOT_A_MEMBER";
                    /** @enum {integer} */
                    status?: 403;
                    /** @enum {string} */
                    code?: "NOT_A_MEMBER";
                };
            };
        };
        /** @description `API_KEY_NOT_FOUND`: API key not found. */
        API_KEY_NOT_FOUND: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:API_KEY_NOT_FOUND";
                    /** @enum {integer} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "API_KEY_NOT_FOUND";
                };
            };
        };
        /** @description `STATE_CONFLICT`: The current state does not allow this. */
        STATE_CONFLICT: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:STATE_CONFLICT";
                    /** @enum {integer} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "STATE_CONFLICT";
                };
            };
        };
        /** @description `WEBHOOK_ENDPOINT_NOT_FOUND`: Webhook endpoint not found. */
        WEBHOOK_ENDPOINT_NOT_FOUND: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:WEBHOOK_ENDPOINT_NOT_FOUND";
                    /** @enum {integer} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "WEBHOOK_ENDPOINT_NOT_FOUND";
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RATE_LIMITED_2: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After_2"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:RATE_LIMITED";
                    /** @enum {integer} */
                    status?: 429;
                    /** @enum {string} */
                    code?: "RATE_LIMITED";
                };
            };
        };
        /** @description `WEBHOOK_ENDPOINT_LIMIT_REACHED`: Webhook endpoint limit reached. */
        WEBHOOK_ENDPOINT_LIMIT_REACHED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:WEBHOOK_ENDPOINT_LIMIT_REACHED";
                    /** @enum {integer} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "WEBHOOK_ENDPOINT_LIMIT_REACHED";
                };
            };
        };
        /** @description `DELIVERY_NOT_FOUND`: Delivery not found. */
        DELIVERY_NOT_FOUND: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:DELIVERY_NOT_FOUND";
                    /** @enum {integer} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "DELIVERY_NOT_FOUND";
                };
            };
        };
        /** @description `REPLAY_NOT_FOUND`: Replay not found. */
        REPLAY_NOT_FOUND: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:REPLAY_NOT_FOUND";
                    /** @enum {integer} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "REPLAY_NOT_FOUND";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The ID of the request. Include it in support requests. */
        "X-Request-Id": string;
        /** @description The next page: `<…>; rel="next"` (RFC 8288), to resolve against this URL. The last page has none. */
        Link: string;
        /** @description Seconds to wait. */
        "Retry-After_2": number;
        /** @description Sent if the body has a `Content-Encoding`: send it without one. */
        "Accept-Encoding": "identity";
        /** @description The address of its progress, to resolve against this URL. */
        Location_2: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listApiKeys: {
        parameters: {
            query?: {
                /** @description `me`: your own keys; `all`: the keys of every member (requires `view_integrations`). */
                owner?: "me" | "all";
                limit?: number;
                /** @description From the `next` link of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key records, without the keys themselves. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            409: components["responses"]["API_KEY_LIMIT_REACHED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key record, without the key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            403: components["responses"]["NOT_A_MEMBER"];
            404: components["responses"]["API_KEY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    revokeApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getApiKeyUses: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its uses. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyUses"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            403: components["responses"]["NOT_A_MEMBER"];
            404: components["responses"]["API_KEY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listApiKeyQuotations: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotes, newest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyQuotation"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            403: components["responses"]["NOT_A_MEMBER"];
            404: components["responses"]["API_KEY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    rollApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RollApiKey"];
            };
        };
        responses: {
            /** @description The record of the new key, and the key. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            /** @description `STATE_CONFLICT`: The current state does not allow this. `API_KEY_LIMIT_REACHED`: API key limit reached. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:STATE_CONFLICT" | "urn:problem-type:quickquote:API_KEY_LIMIT_REACHED";
                        /** @enum {integer} */
                        status?: 409;
                        /** @enum {string} */
                        code?: "STATE_CONFLICT" | "API_KEY_LIMIT_REACHED";
                    };
                };
            };
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    activateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated key record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    deactivateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e1-0a1b-7c2d-8e3f-405162738495 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The updated key record. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["API_KEY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    testWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
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
            /** @description The result of the test. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDeliveryResult"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            429: components["responses"]["RATE_LIMITED_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    checkWebhookReceiver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReceiverCheckRequest"];
            };
        };
        responses: {
            /** @description The deliveries, and how the receiver answered each. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReceiverCheck"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            429: components["responses"]["RATE_LIMITED_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listWebhookEvents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The event catalog. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CatalogEntry"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoints, without their secrets. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    createWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            409: components["responses"]["WEBHOOK_ENDPOINT_LIMIT_REACHED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    summarizeWebhookEndpoints: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The summary. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSummary"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint, without its secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    deleteWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. The response has no body. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    updateWebhookEndpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpoint"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEndpointWithSecret"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listDeliveryAttempts: {
        parameters: {
            query?: {
                endpoint_id?: string;
                event_type?: "quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed";
                /** @description Attempts to deliver this event (`evt_…`). */
                event_id?: string;
                /** @description Attempts to deliver the events of this quotation. */
                quotation_id?: string;
                /** @description Attempts to deliver the events of the newest 100 quotations with this `external_id`, the partner's own ID. */
                external_id?: string;
                status?: "succeeded" | "failed" | "exhausted" | "rejected" | "interrupted";
                /** @description The response: a status such as `404`, a class such as `5xx`, or `none` for no response. */
                http_status?: string;
                /** @description `latest`: only the newest attempt of each delivery. The other filters apply to that attempt. */
                attempts?: "all" | "latest";
                /** @description Only undelivered events, each with its newest attempt, without tests. `retrying`: another attempt is due. `given_up`: no attempts are left. `all`: both, and parked deliveries. */
                undelivered?: "all" | "retrying" | "given_up";
                /** @description Attempts made at this time or later. */
                since?: string;
                /** @description Attempts made before this time. */
                until?: string;
                limit?: number;
                /** @description From the `next` link of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The attempts. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryAttempt"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    countDeliveryAttempts: {
        parameters: {
            query?: {
                endpoint_id?: string;
                /** @description Attempts made at this time or later: at most seven days before `until`. Default: one day before. */
                since?: string;
                /** @description Attempts made before this time. Default: now. */
                until?: string;
            };
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The hours, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryHour"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getEndpointStatistics: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The statistics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointStatistics"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2fa-3b4c-7e21-9a43-8c5d6e7f8091 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["DELIVERY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    resendDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2fa-3b4c-7e21-9a43-8c5d6e7f8091 */
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new delivery. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["DELIVERY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    startReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
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
            /** @description The replay has started. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location_2"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    countReplay: {
        parameters: {
            query: {
                /** @description Events at this time or later. */
                since: string;
                /** @description Events before this time. Default: now. */
                until?: string;
                /** @description `missed`: events that were never delivered, whether attempted or not. `failed`: only those that were attempted. `all`: also those that were delivered. */
                status?: "missed" | "failed" | "all";
                /** @description Only events of this type of the catalog. Default: all that the endpoint subscribes to. */
                event_type?: string;
            };
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The count. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReplayCount"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
                /** @example 0197a2fb-4c5d-7e6f-9081-92a3b4c5d6e7 */
                replayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The replay. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["REPLAY_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listReplays: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The replays. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            404: components["responses"]["WEBHOOK_ENDPOINT_NOT_FOUND"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    stopReplay: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
                /** @example 0197a2e5-9f8e-7d6c-ab5a-493827160514 */
                id: string;
                /** @example 0197a2fb-4c5d-7e6f-9081-92a3b4c5d6e7 */
                replayId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stopped replay. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Replay"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. `CROSS_SITE_REQUEST`: Cross-site requests cannot make changes. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED" | "urn:problem-type:quickquote:CROSS_SITE_REQUEST";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED" | "CROSS_SITE_REQUEST";
                    };
                };
            };
            404: components["responses"]["REPLAY_NOT_FOUND"];
            409: components["responses"]["STATE_CONFLICT"];
            413: components["responses"]["PAYLOAD_TOO_LARGE_2"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE_2"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    listAuditLog: {
        parameters: {
            query?: {
                /** @description One key or endpoint. */
                resource_id?: string;
                action?: "api_key.created" | "api_key.updated" | "api_key.activated" | "api_key.deactivated" | "api_key.revoked" | "api_key.transferred" | "api_key.rolled" | "webhook_endpoint.created" | "webhook_endpoint.updated" | "webhook_endpoint.disabled" | "webhook_endpoint.secret_rotated" | "webhook_endpoint.deleted" | "webhook_endpoint.tested" | "webhook_endpoint.checked" | "webhook_endpoint.delivery_resent" | "webhook_endpoint.replay_started" | "webhook_endpoint.replay_stopped" | "quotation.erased" | "organization.erased";
                /** @description Changes of one member. */
                actor_id?: string;
                /** @description Changes made at this time or later. */
                since?: string;
                /** @description Changes made before this time. */
                until?: string;
                limit?: number;
                /** @description From the `next` link of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The changes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            /** @description `NOT_A_MEMBER`: You have no access to this organization. `PERMISSION_REQUIRED`: You do not have the required permission. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:NOT_A_MEMBER" | "urn:problem-type:quickquote:PERMISSION_REQUIRED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "NOT_A_MEMBER" | "PERMISSION_REQUIRED";
                    };
                };
            };
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e */
                organizationId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:VALIDATION_FAILED" | "urn:problem-type:quickquote:MALFORMED_REQUEST" | "urn:problem-type:quickquote:API_KEY_IN_QUERY";
                        /** @enum {integer} */
                        status?: 400;
                        /** @enum {string} */
                        code?: "VALIDATION_FAILED" | "MALFORMED_REQUEST" | "API_KEY_IN_QUERY";
                    };
                };
            };
            401: components["responses"]["SESSION_REQUIRED"];
            403: components["responses"]["NOT_A_MEMBER"];
            500: components["responses"]["INTERNAL_ERROR_2"];
            503: components["responses"]["SERVICE_UNAVAILABLE_2"];
        };
    };
}
