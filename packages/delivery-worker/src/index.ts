export type { Certificates } from './agent.ts'
export type { WorkerHealth } from './health.ts'
export type { HealthAddress } from './health-server.ts'
export { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from './worker.ts'
