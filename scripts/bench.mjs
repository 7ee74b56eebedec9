/** `npm run bench -- NAME [ARGUMENTS]`: runs `bench/NAME.ts`; without a name it lists them. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name, ...rest] = process.argv.slice(2)
const file = join(root, 'bench', `${name}.ts`)
if (!name || !existsSync(file)) {
  const names = readdirSync(join(root, 'bench')).filter((entry) => entry.endsWith('.ts'))
  process.stderr.write(`usage: npm run bench -- NAME\n${names.map((entry) => `  ${entry.slice(0, -3)}\n`).join('')}`)
  process.exit(name ? 1 : 0)
}
const child = spawn(process.execPath, ['--import', 'tsx', '--expose-gc', file, ...rest], {
  cwd: root,
  stdio: 'inherit',
})
child.on('exit', (code, signal) => process.exit(code ?? (signal ? 1 : 0)))
