/** Units and meanings of parameters, as the console reads them out of descriptions and of the node's document. */
import { expect, test } from 'vitest'
import type { OpenApi } from '../../web/src/ask/operations.ts'
import { meaningOf, meaningsOf, parameterQuestions, rowsOf } from '../../web/src/chain/meanings.ts'
import { startProcess } from '../support/process.ts'

test('a description is split into its meaning and its unit', () => {
  expect(meaningOf('Length of a period. Unit: blocks. Example: 30')).toEqual({
    text: 'Length of a period.',
    unit: 'blocks',
  })
  expect(meaningOf('Fee of a call.\nUnit: fraction, 18 places.')).toEqual({
    text: 'Fee of a call.',
    unit: 'fraction, 18 places',
  })
  expect(meaningOf('Pairs to vote on. Example: ubtc:uusd')).toEqual({ text: 'Pairs to vote on.', unit: undefined })
  expect(meaningOf('Whether it is on.')).toEqual({ text: 'Whether it is on.', unit: undefined })
})

test('nested parameters are rows with their path, and a coin is one value', () => {
  const params = { on: true, block: { max_gas: '1' }, deposit: { denom: 'a', amount: '1' }, list: ['x'], none: null }
  expect(rowsOf(params)).toEqual([
    { name: 'on', value: true },
    { name: 'block.max_gas', value: '1' },
    { name: 'deposit', value: { denom: 'a', amount: '1' } },
    { name: 'list', value: ['x'] },
    { name: 'none', value: null },
  ])
})

test('every module with parameters is found, and each parameter of a period has a unit', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  const document = (await (await fetch(`${node.config.urls.rest}/openapi.json`)).json()) as OpenApi
  const questions = parameterQuestions(document)
  const modules = questions.map(({ module }) => module)
  expect(modules).toEqual(expect.arrayContaining(['auth', 'bank', 'evm', 'gov', 'inflation', 'oracle', 'staking']))
  expect(new Set(modules).size).toBe(modules.length)
  const oracle = questions.find(({ module }) => module === 'oracle')!
  const meanings = meaningsOf(document, oracle.schema)
  expect(meanings.get('vote_period')).toEqual({ text: expect.stringContaining('voting period'), unit: 'blocks' })
  const inflation = questions.find(({ module }) => module === 'inflation')!
  expect(meaningsOf(document, inflation.schema).get('inflation_distribution.staking_rewards')?.text).toBeTruthy()
})
