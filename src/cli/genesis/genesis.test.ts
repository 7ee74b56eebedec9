import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { diskFiles } from '../../node/files.ts'
import { startNode } from '../../node/start.ts'
import { runCommand } from '../commands.ts'
import { createKeyring } from '../keyring.ts'

const END = '4102444800'
let home: string

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'almanac-genesis-'))
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  await keyring.add('val', 'secp256k1', new Uint8Array(32).fill(7))
  await keyring.add('other', 'eth_secp256k1', new Uint8Array(32).fill(8))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(home, { recursive: true })
})

/** Runs a command in the home. Returns its exit code and everything that it prints. */
async function run(words: string): Promise<{ readonly code: number; readonly text: string }> {
  const keyring = /add-account|add-sudo-root|gentx /.test(words) ? ['--keyring-backend', 'test'] : []
  return await runWords([...words.split(' '), '--home', home, ...keyring])
}

const migrate = (...words: readonly string[]) => runWords(['genesis', 'migrate', ...words])

async function runWords(words: readonly string[]): Promise<{ readonly code: number; readonly text: string }> {
  const printed: string[] = []
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const code = await runCommand(words)
  vi.restoreAllMocks()
  return { code, text: printed.join('') }
}

async function done(words: string): Promise<string> {
  const { code, text } = await run(words)
  expect([code, text]).toEqual([0, expect.any(String)])
  return text
}

test('a chain begins with the accounts and the validator of a prepared document', async () => {
  await done('init one --chain-id mine-1')
  await done('genesis add-account val 5000000unative,7ufoo')
  await done(`genesis add-account other 100unative --vesting-amount 60unative --vesting-end-time ${END}`)
  await done('genesis add-account other 20unative --append')
  await done('genesis gentx val 1000000unative --commission-rate 0.07 --website https://example.org')
  expect(await done('genesis collect-gentxs')).toContain('mine-1 begins with 1 validator')
  expect(await done('genesis validate')).toContain('supply: 7ufoo,5000120unative')
  const node = await startNode({ home, chain: { genesis: join(home, 'config', 'genesis.json') } })
  const { validators } = (await node.query('/cosmos/staking/v1beta1/validators')) as { validators: object[] }
  expect(validators).toMatchObject([
    {
      tokens: '1000000',
      description: { moniker: 'one', website: 'https://example.org' },
      commission: { commission_rates: { rate: '0.070000000000000000' } },
    },
  ])
  await node.stop()
  const prepared = join(home, 'config', 'genesis.json')
  const { consensus_params: params, ...rest } = JSON.parse(readFileSync(prepared, 'utf8'))
  const later = join(home, 'later.json')
  writeFileSync(later, JSON.stringify({ ...rest, consensus: { params } }))
  const { code, text } = await migrate('v0.47', later, '--chain-id', 'mine-2')
  expect(code).toBe(0)
  expect(JSON.parse(text)).toMatchObject({ chain_id: 'mine-2', consensus_params: params, validators: [{ power: '1' }] })
  expect((await migrate('v0.50', later)).text).toContain('target v0.50: must be v0.47')
  expect((await run('genesis add-account val 1unative')).text).toContain('has begun: its genesis cannot change')
  expect((await run('init again')).text).toContain('has a chain')
})

test('what is missing or wrong in the preparation is an error that names it, and the document stays', async () => {
  expect((await run('genesis add-account val 5unative')).text).toContain('`almanac init MONIKER` makes it')
  await done('init one --chain-id mine-1')
  expect((await run('init one')).text).toContain('--overwrite replaces it')
  const key = readFileSync(join(home, 'priv_validator_key.json'), 'utf8')
  await done('init one --chain-id mine-1 --overwrite')
  expect(readFileSync(join(home, 'priv_validator_key.json'), 'utf8')).toBe(key)
  expect((await run('genesis gentx val 1000000unative')).text).toContain('has 0unative at genesis, less than the stake')
  expect((await run('genesis collect-gentxs')).text).toContain('no genesis transactions')
  expect((await run('genesis add-account nobody 5unative')).text).toContain('no key named nobody')
  expect((await run('genesis add-account chain1bogus 5unative')).text).toContain('chain1bogus is no address')
  expect((await run('genesis add-account val five')).text).toContain('coins five: must be coins')
  await done('genesis add-account val 5000000unative')
  expect((await run('genesis add-account val 5unative')).text).toContain('--append adds coins to it')
  await done('genesis gentx val 1000000unative')
  const [name] = readdirSync(join(home, 'config', 'gentx'))
  const path = join(home, 'config', 'gentx', name!)
  const before = readFileSync(join(home, 'config', 'genesis.json'), 'utf8')
  writeFileSync(path, readFileSync(path, 'utf8').replace('"amount":"1000000"', '"amount":"1000001"'))
  expect((await run('genesis collect-gentxs')).text).toContain('signature verification failed')
  expect(readFileSync(join(home, 'config', 'genesis.json'), 'utf8')).toBe(before)
})

test('a setting is read and written by its key, and a value that cannot be is not written', async () => {
  const file = () => diskFiles.read(join(home, 'config.toml'))
  await done('init one')
  expect(await done('config get node.moniker')).toBe('one\n')
  await done('config set rest.port 1444')
  expect(await done('config get rest.port')).toBe('1444\n')
  expect(file()).toContain('\nport = 1444\n')
  const before = file()
  for (const [words, reason] of [
    ['config set rest.port x', 'must be an integer from 0 to 65535'],
    ['config set rest.prt 5', 'unknown setting rest.prt: did you mean rest.enabled'],
    ['config get nothing', 'unknown setting nothing: `almanac config` prints all'],
  ] as const) {
    const { code, text } = await run(words)
    expect([code, text]).toEqual([1, expect.stringContaining(reason)])
  }
  expect(file()).toBe(before)
})

test('a role in a document of another shape, or for an address of another length, is refused and changes nothing', async () => {
  await done('init one --chain-id mine-1')
  const operator = (await done('keys show val --bech val --keyring-backend test --address')).trim()
  const feeder = (await done('keys show other --keyring-backend test --address')).trim()
  const path = join(home, 'config', 'genesis.json')
  const begun = readFileSync(path, 'utf8')
  const delegate = (to: string) => `genesis add-feeder --validator ${operator} --pricefeeder ${to}`
  for (const [state, words, reason] of [
    [{ sudo: [] }, 'genesis add-sudo-root other', 'app_state.sudo of the genesis document: must be an object'],
    [{ oracle: null }, delegate(feeder), 'app_state.oracle of the genesis document: must be an object'],
    [
      { oracle: { feeder_delegations: 'x' } },
      delegate(feeder),
      'feeder_delegations of the genesis document: must be a list',
    ],
    [{ oracle: { feeder_delegations: [null] } }, delegate(feeder), 'must be a list of objects'],
    [{}, delegate('chain1qq7z68uc'), '--pricefeeder chain1qq7z68uc: has 1 bytes, and an address has 20 or 32'],
    [{}, 'genesis add-sudo-root chain1qq7z68uc', 'chain1qq7z68uc: has 1 bytes'],
  ] as const) {
    const document = JSON.parse(begun)
    const text = JSON.stringify({ ...document, app_state: { ...document.app_state, ...state } })
    writeFileSync(path, text)
    const { code, text: said } = await run(words)
    expect([code, said]).toEqual([1, expect.stringContaining(reason)])
    expect(readFileSync(path, 'utf8')).toBe(text)
  }
})

test('a chain begins with the sudo root and the feeder of a prepared document', async () => {
  await done('init one --chain-id mine-1')
  const operator = (await done('keys show val --bech val --keyring-backend test --address')).trim()
  const feeder = (await done('keys show other --keyring-backend test --address')).trim()
  const wrong = `genesis add-feeder --validator ${feeder} --pricefeeder ${feeder}`
  expect((await run(wrong)).text).toContain('must be an address with prefix chainvaloper (its prefix is chain)')
  expect((await run('genesis add-sudo-root nobody')).text).toContain('no key named nobody')
  await done('genesis add-account val 5000000unative')
  await done('genesis add-account other 5unative')
  await done('genesis add-sudo-root other')
  await done('genesis add-sudo-root-account val')
  const delegate = `genesis add-genesis-pricefeeder-delegation --validator ${operator} --pricefeeder ${feeder}`
  await done(delegate)
  expect((await run(delegate)).text).toContain(`${operator} has the feeder ${feeder}`)
  await done('genesis gentx val 1000000unative')
  await done('genesis collect-gentxs')
  const node = await startNode({ home, chain: { genesis: join(home, 'config', 'genesis.json') } })
  const { sudoers } = (await node.query('/chain/sudo/sudoers')) as { sudoers: object }
  const root = (await done('keys show val --keyring-backend test --address')).trim()
  expect(sudoers).toEqual({ root, contracts: [] })
  const path = `/chain/oracle/v1beta1/validators/${operator}/feeder`
  expect(await node.query(path)).toEqual({ feeder_addr: feeder })
  await node.stop()
})
