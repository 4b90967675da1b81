-- What a quote and its events belong to in a trace: the two headers of W3C Trace Context.
alter table "quickquote".quotations add column traceparent text, add column tracestate text;
alter table "quickquote".events add column traceparent text, add column tracestate text;
