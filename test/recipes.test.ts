/** The recipes of `docs/recipes.md`, run as a reader runs them: from files, with the built package. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const page = readFileSync(join(root, 'docs/recipes.md'), 'utf8')

/** Programs by file name, each with what the page says it prints. */
const programs = [...page.matchAll(/```js\n\/\/ (\S+)\n([\s\S]*?)```(?:\n\nprints\n\n```text\n([\s\S]*?)```)?/g)].map(
  ([, name, code, printed]) => ({ name: name!, code: code!, printed }),
)

// Within the checkout, so that `almanac` and its clients are found.
mkdirSync(join(root, 'build'), { recursive: true })
const folder = mkdtempSync(join(root, 'build', 'recipes-'))
for (const { name, code } of programs) writeFileSync(join(folder, name), code)
// A project of its own: without this file Vitest would take the settings of the checkout.
writeFileSync(join(folder, 'vitest.config.mjs'), 'export default {}\n')
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: readonly string[]) =>
  promisify(execFile)(process.execPath, args, { cwd: folder, timeout: 200_000, env: { ...process.env, NO_COLOR: '1' } })

test('the page has the recipes that are run here', () => {
  expect(programs.map(({ name }) => name)).toEqual([
    'payments.test.js',
    'hashes.test.mjs',
    'viem.mjs',
    'anvil.mjs',
    'ethers.mjs',
    'cosmjs.mjs',
    'grpc.mjs',
  ])
})

for (const { name, printed } of programs.filter((program) => program.printed !== undefined)) {
  test(`${name} prints what the page says`, async () => {
    const { stdout } = await run(name)
    expect(stdout).toBe(printed)
  })
}

test('the test file for Vitest passes', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const { stdout } = await run(vitest, 'run', '--root', folder, 'payments.test.js')
  expect(stdout).toMatch(/Tests {2}6 passed \(6\)/)
})

test('the test file for the test runner of Node.js passes', async () => {
  const { stdout } = await run('--test', '--test-reporter=tap', 'hashes.test.mjs')
  expect(stdout).toMatch(/^# pass 3$/m)
  expect(stdout).toMatch(/^# fail 0$/m)
})
