<?php

require getenv('RECEIVERS') . '/php/verify.php';

$body = __RAW_BODY__;
$genuine = verify($body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [getenv('WEBHOOK_SECRET')]);
http_response_code($genuine ? 204 : 401);
