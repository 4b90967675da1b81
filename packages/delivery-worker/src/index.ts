export type { Certificates } from './agent.ts'
export { createDeliveryWorker, type DeliveryWorker, type DeliveryWorkerOptions } from './worker.ts'
