export { createTables, DEFAULT_SCHEMA, type Tables } from './tables.ts'
