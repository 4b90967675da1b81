<?php

use Illuminate\Container\Container;
use Illuminate\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Illuminate\Routing\Router;

// Debian's package of Laravel.
require 'Illuminate/autoload.php';
require getenv('RECEIVERS') . '/php/verify.php';

$container = new Container();
$router = new Router(new Dispatcher($container), $container);
$router->post('/hook', function (Request $request) {
    $body = __RAW_BODY__;
    $genuine = verify($body, __TIMESTAMP__, [__SIGNATURE__, __PREVIOUS__], [getenv('WEBHOOK_SECRET')]);
    return new Response('', $genuine ? 204 : 401);
});
$request = Request::capture();
$container->instance(Request::class, $request);
$router->dispatch($request)->send();
