/** The node's OpenAPI document, read once: operations by path, and the meaning of fields. */
import { ask } from '../api/ask.ts'
import { rest } from '../api/question.ts'
import type { OpenApi } from './operations.ts'

let asked: Promise<OpenApi> | undefined

/** Returns the document. Rejects with `ApiError`, and is then asked again the next time. */
export function openApi(): Promise<OpenApi> {
  asked ??= ask<OpenApi>(rest('/openapi.json')).catch((error: unknown) => {
    asked = undefined
    throw error
  })
  return asked
}
