/** `npm run compatibility`: generates `docs/compatibility.md`. */
import { writeFileSync } from 'node:fs'
import { COMPATIBILITY_FILE, renderCompatibility } from './page.ts'

writeFileSync(COMPATIBILITY_FILE, await renderCompatibility())
