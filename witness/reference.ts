/** `npm run reference`: generates `docs/reference.md`. */
import { writeFileSync } from 'node:fs'
import { renderReference } from './reference-page.ts'

writeFileSync(new URL('../docs/reference.md', import.meta.url), renderReference())
