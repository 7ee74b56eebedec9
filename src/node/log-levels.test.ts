import { expect, test } from 'vitest'
import { createLog, moduleLog } from './log.ts'
import { parseLogLevels } from './log-levels.ts'

test('a module has its own level, above or below that of all', () => {
  const lines: string[] = []
  const level = 'info,api=debug,feeder=error'
  const log = createLog({ format: 'json', level, now: () => 0, write: (line) => lines.push(JSON.parse(line).message) })
  for (const at of ['debug', 'warn'] as const) {
    log(at, `${at} of none`)
    for (const module of ['api', 'feeder', 'engine'] as const) moduleLog(log, module)(at, `${at} of ${module}`, { at })
  }
  moduleLog(log, 'feeder')('error', 'error of feeder')
  expect(lines).toEqual(['debug of api', 'warn of none', 'warn of api', 'warn of engine', 'error of feeder'])
})

test('the module is a field of JSON, and the text form shows what it showed', () => {
  const lines: string[] = []
  for (const format of ['json', 'text']) {
    const log = createLog({ format, level: 'info', now: () => 0, write: (line) => lines.push(line) })
    moduleLog(log, 'chain')('info', 'block', { height: 5n })
    moduleLog(log, 'chain')('info', 'halted')
  }
  expect(lines).toEqual([
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"block","module":"chain","height":"5"}\n',
    '{"time":"1970-01-01T00:00:00.000Z","level":"info","message":"halted","module":"chain"}\n',
    '00:00:00.000 info  block height=5\n',
    '00:00:00.000 info  halted\n',
  ])
})

test.each([
  '',
  'loud',
  'info,api',
  'info,api=loud',
  'info,nothing=debug',
  'info,api=debug,api=info',
  'api=debug',
  'info,',
])('the levels "%s" are no levels', (text) => expect(parseLogLevels(text)).toBeUndefined())
