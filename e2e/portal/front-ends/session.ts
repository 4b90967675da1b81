/** Shared by the host and its front ends. */
export const ORGANIZATION = '6f1d2c3b-4a59-4e68-8d77-9c8b7a695f4e'
export const TOKEN = 'a-token'
