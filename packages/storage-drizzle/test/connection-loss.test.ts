import { connectionLossTests } from './support/connection-loss.ts'

connectionLossTests(() => import('../src/index.ts'))
