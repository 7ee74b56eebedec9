/** The generated reference of operations and errors. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { API_FILE, ERRORS_FILE, renderApi, renderErrors } from './support/api-reference.ts'

test('docs/api.md has every operation as the protos say it; npm run limits writes it', () => {
  const page = readFileSync(API_FILE, 'utf8')
  expect(page).toBe(renderApi())
  for (const one of ['GET /chain/oracle/v1beta1/exchange_rate', 'eth_getBalance', 'setBalance', 'broadcast_tx_sync']) {
    expect(page).toContain(`\`${one}\``)
  }
  expect(
    page.split('\n').filter((line) => line.startsWith('- `') && !/^- `[A-Z]+ [^`]+`, `\w+`: \S/.test(line)),
  ).toEqual([])
})

test('docs/errors.md has every error that a module registers; npm run limits writes it', async () => {
  const page = readFileSync(ERRORS_FILE, 'utf8')
  expect(page).toBe(await renderErrors())
  expect(page).toContain('| 5 | send transactions are disabled | 400 | 9 failedPrecondition |')
})
