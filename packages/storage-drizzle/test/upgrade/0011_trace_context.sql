update "quickquote".quotations set traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate = 'vendor=1';
update "quickquote".events set traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
