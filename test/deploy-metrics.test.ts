import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { startProcess } from './support/process.ts'

const read = (path: string) => readFileSync(resolve(import.meta.dirname, '..', path), 'utf8')
const NAME = /\b(?:almanac|process|nodejs)_[a-z0-9_]+\b/g

/** Returns the names that queries can use: a histogram has three. */
function namesOf(text: string): ReadonlySet<string> {
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)]
  return new Set(
    types.flatMap(([, name, type]) =>
      type === 'histogram' ? ['', '_bucket', '_sum', '_count'].map((end) => `${name}${end}`) : [name!],
    ),
  )
}

/** Returns the value after a key of each rule: the files have one key a line. */
const valuesOf = (key: string, yaml: string) =>
  [...yaml.matchAll(new RegExp(`^ *(?:- )?${key}: (.+)$`, 'gm'))].map((match) => match[1]!)

test('every metric of the dashboard, the alerts and the documents exists, and every one of the node is documented', async () => {
  await using node = await startProcess([
    '--ephemeral',
    '--metrics-enabled',
    '--metrics-port',
    '0',
    '--api-workers',
    '1',
  ])
  await fetch(`${node.config.urls.rest}/chain/evm/v1/params`)
  let text = ''
  const scrape = async () => {
    text = await (await fetch(node.config.urls.metrics!)).text()
    return text
  }
  // The report of the worker comes after its first answers.
  await expect.poll(scrape).toContain('almanac_worker_cpu_seconds_total{worker="1"} ')
  await expect.poll(scrape).toContain('almanac_requests_total{operation="/chain.evm.v1.Query/Params",status="ok"} 1')
  const names = namesOf(text)

  const dashboard = JSON.parse(read('deploy/grafana/almanac.json'))
  const queries: string[] = dashboard.panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) =>
    targets.map(({ expr }) => expr),
  )
  expect(queries.length).toBeGreaterThan(20)
  const alerts = read('deploy/prometheus/alerts.yml')
  const rules = valuesOf('expr', alerts)
  expect(rules).toHaveLength(valuesOf('alert', alerts).length)
  const documents = read('docs/metrics.md')
  const used = [...queries, ...rules, documents].flatMap((one) => one.match(NAME) ?? [])
  expect(used.filter((name) => !names.has(name) && !/_$/.test(name))).toEqual([])
  const own = [...text.matchAll(/^# TYPE (almanac_\S+)/gm)].map(([, name]) => name!)
  expect(own.filter((name) => !documents.includes(`\`${name}\``))).toEqual([])
  expect(valuesOf('alert', alerts).filter((alert) => !documents.includes(`\`${alert}\``))).toEqual([])
  for (const query of [...queries, ...rules]) {
    const open = query.replace(/[^([{]/g, '').length
    expect([query, query.replace(/[^)\]}]/g, '').length]).toEqual([query, open])
  }
}, 120_000)
