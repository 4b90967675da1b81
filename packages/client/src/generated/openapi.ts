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
         * @description Lists quotations newest first, including those of the web app. Follow the `Link` header: a quotation that exists throughout is listed exactly once, even if others are started or changed meanwhile.
         */
        get: operations["listQuotations"];
        put?: never;
        /**
         * Start a Quick Quote
         * @description Returns at once. Follow the quotation by polling or webhooks. Any organization in the body is ignored: the key decides. Takes the form of `startQuotationFromFiles`, too.
         */
        post: operations["startQuotation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/quotations/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a Quick Quote from files
         * @description The start with a form. The same `Idempotency-Key` in both routes starts one quotation.
         */
        post: operations["startQuotationFromFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/integrations/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Test the connection
         * @description Returns the API key of the request, without its secret, and its organization.
         */
        get: operations["getConnection"];
        put?: never;
        post?: never;
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
        /**
         * Get the summary of a quotation
         * @description With `wait`, the response comes as soon as the quotation changes (with `until=end`: has ended), or when the time is over. To miss no change, send the `updated_at` of the last response as `since`.
         */
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
        /**
         * Get the progress of a quotation, step by step
         * @description All steps, in order, whether they have begun or not.
         */
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
        /**
         * Get a short-lived link to the document of a proposal
         * @description The link expires at `expires_at`: request a new one whenever you need it.
         */
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
         * @description Returns events oldest first, each with the bytes of its webhook, whether or not an endpoint subscribes to it. Store the `Link` of each response and continue from there: no event is skipped or repeated. Reading from an event ID may repeat some. With `wait`, an empty page waits for the next event.
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
    "/v1/integrations/quotations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a quotation
         * @description The quotation fails at once with the `error_code` `CANCELLED`, and `quotation.failed` is sent. Safe to repeat. Quotations of the web app can be cancelled, too. A body is ignored.
         */
        post: operations["cancelQuotation"];
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
        /** StartQuotation */
        StartQuotation: {
            /** Format: name */
            name?: string | null;
            /** Format: text */
            description?: string | null;
            /** Format: uuid */
            config_id?: string | null;
            /**
             * Format: name
             * @description Your own ID, by which the list can be filtered. Need not be unique.
             */
            external_id?: string | null;
            /** @description Your own data, passed to the pipeline unchanged. At most 16384 bytes of JSON. */
            metadata?: {
                [key: string]: unknown;
            } | null;
            /**
             * Format: text
             * @description The requirements as text. To send files, use the route for forms.
             */
            requirementsText: string;
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
        /** Quotation */
        Quotation: {
            /** Format: uuid */
            id: string;
            name: string;
            description: string;
            /** @enum {string} */
            status: "queued" | "running" | "completed" | "failed";
            /**
             * @description The last finished step.
             * @enum {string}
             */
            processed_step: "none" | "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal";
            /** @enum {string} */
            source: "ui" | "api_key";
            /** Format: uuid */
            config_id: string | null;
            error_code: string | null;
            /** @description Your own ID, sent with the start. */
            external_id: string | null;
            /** @description The metadata sent with the start. */
            metadata: {
                [key: string]: unknown;
            } | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
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
             * Format: name
             * @description Your own ID, by which the list can be filtered. Need not be unique.
             */
            external_id?: string;
            /**
             * Format: text
             * @description The requirements. Required unless at least one file is sent.
             */
            requirementsText?: string;
            /** @description Your own data: a JSON object as text. At most 16384 bytes. */
            metadata?: string;
            /** @description Files with the requirements: docx, pdf, txt or md, at most 10485760 bytes each. Required unless `requirementsText` is sent. */
            files?: Blob[];
        };
        /** Connection */
        Connection: {
            /** Format: uuid */
            organization_id: string;
            api_key: {
                /** Format: uuid */
                id: string;
                name: string;
                masked_key: string;
                /** @enum {string} */
                status: "active" | "inactive" | "expired" | "revoked";
                /** Format: date-time */
                expires_at: string;
            };
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
        /** QuotationEventData */
        QuotationEventData: {
            /**
             * Format: uuid
             * @description The quotation.
             */
            quotation_id: string;
            /**
             * Format: uuid
             * @description Its proposal, once there is one.
             */
            proposal_id: string | null;
            /**
             * @description The step; for a failure, the failed step or `unknown`.
             * @enum {string}
             */
            step: "requirement_analysis" | "functional_specification" | "work_breakdown" | "effort_estimation" | "proposal" | "unknown";
            /**
             * @description `failed` for `quotation.failed` alone.
             * @enum {string}
             */
            status: "completed" | "failed";
            /** @description The reason for the failure, if known. */
            error_code: string | null;
            /**
             * @description Whether a partner or the web app started the quotation.
             * @enum {string}
             */
            generation_source: "ui" | "api_key";
        };
    };
    responses: {
        /** @description `IDEMPOTENCY_KEY_IN_USE`: A request with this Idempotency-Key is still in progress. */
        IDEMPOTENCY_KEY_IN_USE: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:IDEMPOTENCY_KEY_IN_USE";
                    /** @enum {integer} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_KEY_IN_USE";
                };
            };
        };
        /** @description `PAYLOAD_TOO_LARGE`: The request is too large. */
        PAYLOAD_TOO_LARGE: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
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
        UNSUPPORTED_MEDIA_TYPE: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Accept-Encoding": components["headers"]["Accept-Encoding"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
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
        /** @description `IDEMPOTENCY_KEY_REUSED`: The Idempotency-Key was already used for a different request. */
        IDEMPOTENCY_KEY_REUSED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:IDEMPOTENCY_KEY_REUSED";
                    /** @enum {integer} */
                    status?: 422;
                    /** @enum {string} */
                    code?: "IDEMPOTENCY_KEY_REUSED";
                };
            };
        };
        /** @description `RATE_LIMITED`: Too many requests. */
        RATE_LIMITED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After_2"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
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
        /** @description `INTERNAL_ERROR`: Internal error. */
        INTERNAL_ERROR: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
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
        SERVICE_UNAVAILABLE: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After_2"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
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
        /** @description `QUOTATION_NOT_FOUND`: Quotation not found. */
        QUOTATION_NOT_FOUND: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:QUOTATION_NOT_FOUND";
                    /** @enum {integer} */
                    status?: 404;
                    /** @enum {string} */
                    code?: "QUOTATION_NOT_FOUND";
                };
            };
        };
        /** @description `CURSOR_EXPIRED`: Events after this cursor are no longer kept. */
        CURSOR_EXPIRED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:CURSOR_EXPIRED";
                    /** @enum {integer} */
                    status?: 410;
                    /** @enum {string} */
                    code?: "CURSOR_EXPIRED";
                };
            };
        };
        /** @description `QUOTATION_ENDED`: The quotation has already ended. */
        QUOTATION_ENDED: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"] & {
                    /** @enum {string} */
                    type?: "urn:problem-type:quickquote:QUOTATION_ENDED";
                    /** @enum {integer} */
                    status?: 409;
                    /** @enum {string} */
                    code?: "QUOTATION_ENDED";
                };
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The ID of the request. Include it in support requests. */
        "X-Request-Id": string;
        /** @description The expiry of the API key. Sent only during its last 30 days. */
        "X-API-Key-Expires-At": string;
        /** @description The limits that apply to this route (IETF RateLimit fields). */
        "RateLimit-Policy": string;
        /** @description The requests left (`r`), and the seconds until there are more (`t`). */
        RateLimit: string;
        /** @description The address of the summary of the quotation, to resolve against this URL. */
        Location: string;
        /** @description Seconds to wait before polling. */
        "Retry-After": number;
        /** @description Sent if an earlier request with the same Idempotency-Key started the quotation. */
        "Idempotency-Replayed": "true";
        /** @description Sent if the body has a `Content-Encoding`: send it without one. */
        "Accept-Encoding": "identity";
        /** @description Seconds to wait. */
        "Retry-After_2": number;
        /** @description The next page: `<…>; rel="next"` (RFC 8288), to resolve against this URL. The last page has none. */
        Link: string;
        /** @description The next page: `<…>; rel="next"` (RFC 8288), to resolve against this URL. Always sent. */
        Link_2: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listQuotations: {
        parameters: {
            query?: {
                status?: "queued" | "running" | "completed" | "failed";
                source?: "ui" | "api_key";
                /** @description Quotations started at this time or later. */
                created_since?: string;
                /** @description Quotations started before this time. */
                created_until?: string;
                /** @description Quotations started with exactly this ID. */
                external_id?: string;
                limit?: number;
                /** @description From the `next` link of the previous page. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quotation"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
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
                /** @description Your own unique key. A repeated request with the same key within 24 hours starts nothing and gets the first response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartQuotation"];
            };
        };
        responses: {
            /** @description The quotation was accepted and will run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedQuotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED";
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
    startQuotationFromFiles: {
        parameters: {
            query?: never;
            header?: {
                /** @description Your own unique key. A repeated request with the same key within 24 hours starts nothing and gets the first response. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": components["schemas"]["StartQuotationForm"];
            };
        };
        responses: {
            /** @description The quotation was accepted and will run. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Location: components["headers"]["Location"];
                    "Retry-After": components["headers"]["Retry-After"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StartedQuotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED";
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
    getConnection: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The API key and its organization. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Connection"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED";
                    };
                };
            };
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
    getQuotation: {
        parameters: {
            query?: {
                /** @description Seconds to wait for a change, unless the quotation has ended. */
                wait?: number;
                /** @description `end` waits until the quotation has completed or failed, not just for its next change. */
                until?: "change" | "end";
                /** @description The `updated_at` of your last response: returns at once if it has changed since. Default: the current one. Means nothing with `until=end`. */
                since?: string;
            };
            header?: never;
            path: {
                /** @example 0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotation. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
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
                /** @example 0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All steps, in order. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelineStatus"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
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
                /** @example 0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The proposal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Proposal"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            /** @description `QUOTATION_NOT_FOUND`: Quotation not found. `PROPOSAL_NOT_FOUND`: Proposal not found. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:QUOTATION_NOT_FOUND" | "urn:problem-type:quickquote:PROPOSAL_NOT_FOUND";
                        /** @enum {integer} */
                        status?: 404;
                        /** @enum {string} */
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
                /** @example 0197a2f9-1d2e-7c4b-8e63-4a7f9b2c3d5e */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The link. Anyone who has it can read the document until it expires. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentUrl"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            /** @description `PROPOSAL_NOT_FOUND`: Proposal not found. `DOCUMENT_NOT_READY`: The proposal has no document yet. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:PROPOSAL_NOT_FOUND" | "urn:problem-type:quickquote:DOCUMENT_NOT_READY";
                        /** @enum {integer} */
                        status?: 404;
                        /** @enum {string} */
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
                /** @description Where to continue: the cursor of a `next` link, the ID of an event (`evt_…`), or `latest` for events from now on. Default: the oldest event kept. */
                after?: string;
                /** @description Only events of these types, separated by commas. */
                types?: ("quotation.requirement_analysis.completed" | "quotation.functional_specification.completed" | "quotation.work_breakdown.completed" | "quotation.effort_estimation.completed" | "quotation.proposal.completed" | "quotation.completed" | "quotation.failed")[];
                /** @description Only events of quotations started through the partner API, in the web app, or either. */
                generation_source?: "api_key" | "ui" | "all";
                limit?: number;
                /** @description Seconds to wait if there is no event yet. */
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
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link_2"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookEvent"][];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
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
    cancelQuotation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @example 0197a2f4-7c1e-7b3a-9d52-3f6e8a1b2c4d */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The quotation is cancelled, now or by an earlier request. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Quotation"];
                };
            };
            /** @description `VALIDATION_FAILED`: The request is not valid. `MALFORMED_REQUEST`: The request is malformed. `API_KEY_IN_QUERY`: API keys are not accepted in the URL. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
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
            /** @description `API_KEY_MISSING`: An API key is required. `API_KEY_INVALID`: The API key is not valid. */
            401: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_MISSING" | "urn:problem-type:quickquote:API_KEY_INVALID";
                        /** @enum {integer} */
                        status?: 401;
                        /** @enum {string} */
                        code?: "API_KEY_MISSING" | "API_KEY_INVALID";
                    };
                };
            };
            /** @description `API_KEY_INACTIVE`: The API key is inactive. `API_KEY_EXPIRED`: The API key has expired. `API_KEY_REVOKED`: The API key has been revoked. `OTHER_ORGANIZATION`: The resource belongs to another organization. */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-API-Key-Expires-At": components["headers"]["X-API-Key-Expires-At"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {string} */
                        type?: "urn:problem-type:quickquote:API_KEY_INACTIVE" | "urn:problem-type:quickquote:API_KEY_EXPIRED" | "urn:problem-type:quickquote:API_KEY_REVOKED" | "urn:problem-type:quickquote:OTHER_ORGANIZATION";
                        /** @enum {integer} */
                        status?: 403;
                        /** @enum {string} */
                        code?: "API_KEY_INACTIVE" | "API_KEY_EXPIRED" | "API_KEY_REVOKED" | "OTHER_ORGANIZATION";
                    };
                };
            };
            404: components["responses"]["QUOTATION_NOT_FOUND"];
            409: components["responses"]["QUOTATION_ENDED"];
            413: components["responses"]["PAYLOAD_TOO_LARGE"];
            415: components["responses"]["UNSUPPORTED_MEDIA_TYPE"];
            429: components["responses"]["RATE_LIMITED"];
            500: components["responses"]["INTERNAL_ERROR"];
            503: components["responses"]["SERVICE_UNAVAILABLE"];
        };
    };
}
