import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../../index.ts'
import { createKeyring } from '../keyring.ts'
import { keyOfMnemonic } from '../keys/mnemonic.ts'
import { keysCommand } from '../keys.ts'
import { queryCommand } from '../query.ts'
import type { Terminal } from '../terminal.ts'
import { txCommand } from '../tx.ts'

let node: Node
let home: string
let alice: string
let bob: string

beforeAll(async () => {
  node = await startNode({ api: { minGasPrice: '0.025unative' } })
  home = mkdtempSync(join(tmpdir(), 'almanac-files-'))
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  await keyring.add('alice', 'secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/118'/0'/0/0"))
  for (const i of [1, 2, 3]) await keyring.add(`m${i}`, 'secp256k1', new Uint8Array(32).fill(i))
  const at = (path: string) => node.accounts.find((account) => account.path === path)!.bech32
  alice = at("m/44'/118'/0'/0/0")
  bob = at("m/44'/118'/0'/0/1")
})
afterAll(async () => {
  await node?.stop()
  rmSync(home, { recursive: true })
})

const file = (name: string) => join(home, name)
const ON_NODE = () => ['--node', node.urls.rest]
const WITH_KEYS = () => ['--home', home, '--keyring-backend', 'test']

/** Runs a command and returns what it prints. */
async function run(command: 'keys' | 'tx' | 'query', words: string, more: readonly string[] = []): Promise<string> {
  const printed: string[] = []
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    note: () => {},
    interactive: false,
    ask: async () => undefined,
    askSecret: async () => undefined,
  }
  const program = { keys: keysCommand, tx: txCommand, query: queryCommand }[command](terminal)
  await program.parseAsync([...words.split(' '), ...more], { from: 'user' })
  return printed.join('\n')
}

const json = (text: string) => JSON.parse(text) as Record<string, unknown> & { code: number; txhash: string }
const send = async (words: string) => json(await run('tx', words, [...WITH_KEYS(), ...ON_NODE(), '-y', '-o', 'json']))

async function balance(address: string): Promise<bigint> {
  const answer = await run('query', `bank balance ${address} unative`, [...ON_NODE(), '-o', 'json'])
  return BigInt((json(answer) as unknown as { balance: { amount: string } }).balance.amount)
}

test('a transfer takes signer, receiver and coins as arguments, waits for its block, and is found by its hash', async () => {
  const before = await balance(bob)
  const sent = await send(`bank send alice ${bob} 5unative`)
  expect(sent).toMatchObject({ code: 0, height: expect.stringMatching(/^[1-9]/), events: expect.any(Array) })
  expect(await balance(bob)).toBe(before + 5n)
  const found = json(await run('query', `tx ${sent.txhash}`, [...ON_NODE(), '-o', 'json']))
  expect(found).toMatchObject({ tx_response: { txhash: sent.txhash, code: 0 } })
  expect(json(await run('query', `wait-tx ${sent.txhash}`, [...ON_NODE(), '-o', 'json']))).toMatchObject({ code: 0 })
  const block = await run('query', `block ${sent['height']}`, [...ON_NODE(), '-o', 'json'])
  expect(json(block)).toMatchObject({ block: { header: { height: sent['height'] } } })
  for (const search of [
    ['--events', `transfer.recipient=${bob}`],
    ['--query', `transfer.recipient='${bob}'`],
  ]) {
    const listed = json(await run('query', 'txs', [...search, ...ON_NODE(), '-o', 'json']))
    expect((listed['tx_responses'] as { txhash: string }[]).map(({ txhash }) => txhash)).toContain(sent.txhash)
  }
  await expect(run('query', 'tx nothing', ON_NODE())).rejects.toThrow('must be the hash of a transaction')
})

test('a transfer that fails in its block is an error with the reason of the chain', async () => {
  const failing = send(`bank send alice ${bob} 99999999999999999unative --gas 200000 --fees 5000unative`)
  await expect(failing).rejects.toThrow(/the transaction failed in block \d+: .*insufficient funds/)
})

test('with --async a command does not wait, and a transaction that no block contains is an error in time', async () => {
  const sent = await send(`bank send alice ${bob} 5unative --async`)
  expect(sent).toMatchObject({ code: 0, height: '0' })
  await run('query', `wait-tx ${sent.txhash}`, ON_NODE())
  const never = run('query', `wait-tx ${'AB'.repeat(32)} --timeout 150ms`, ON_NODE())
  await expect(never).rejects.toThrow(/no block contains (AB){32} after 0.15 s/)
})

test('a wait for a transaction ends with the node, and says so', async () => {
  const other = await startNode()
  const waiting = run('query', `wait-tx ${'AB'.repeat(32)} --timeout 60s`, ['--node', other.urls.rest])
  const failed = waiting.catch((error: Error) => error.message)
  await new Promise((resolve) => setTimeout(resolve, 300))
  await other.stop()
  expect(await failed).toMatch(
    /^the node at \S+ has stopped, and no block contained (AB){32} before: `almanac query wait-tx/,
  )
})

test('a chain id that is not the node’s is refused by name', async () => {
  const sending = send(`bank send alice ${bob} 5unative --chain-id other-1`)
  await expect(sending).rejects.toThrow(/--chain-id other-1: the node at .* runs almanac-localnet-1/)
})

test('several receivers get the same coins, or shares of them', async () => {
  const before = await balance(bob)
  expect(await send(`bank multi-send alice ${bob} ${bob} 10unative`)).toMatchObject({ code: 0 })
  expect(await send(`bank multi-send ${bob} ${bob} 10unative --from alice --split`)).toMatchObject({ code: 0 })
  expect(await balance(bob)).toBe(before + 30n)
})

test('a transaction is made, signed, checked, encoded and sent in steps, also without a node', async () => {
  const path = file('unsigned.json')
  const facts = ['--offline', '--chain-id', 'almanac-localnet-1', '--account-number', '9', '--sequence', '0']
  writeFileSync(
    path,
    await run('tx', `bank send alice ${bob} 7unative --generate-only --fees 5000unative -o json`, [
      ...WITH_KEYS(),
      ...facts,
      '--node',
      'http://127.0.0.1:1',
    ]),
  )
  const wrong = file('wrong.json')
  await run('tx', `sign ${path} --from alice --output-document ${wrong}`, [...WITH_KEYS(), ...facts])
  await expect(run('tx', `validate-signatures ${wrong}`, ON_NODE())).rejects.toThrow('signatures validation failed')
  await expect(run('tx', `broadcast ${wrong}`, ON_NODE())).rejects.toThrow('incorrect account sequence')
  for (const verb of ['broadcast', 'validate-signatures'])
    await expect(run('tx', `${verb} ${path}`, ON_NODE())).rejects.toThrow(`${path}: not signed: see`)
  await expect(run('tx', `sign ${path} --from m1`, [...WITH_KEYS(), ...ON_NODE()])).rejects.toThrow(
    `is to be signed by ${alice}, not by m1`,
  )
  for (const mode of ['direct', 'amino-json']) {
    const signed = file(`${mode}.json`)
    await run('tx', `sign ${path} --from alice --sign-mode ${mode} --output-document ${signed}`, [
      ...WITH_KEYS(),
      ...ON_NODE(),
    ])
    expect(await run('tx', `validate-signatures ${signed}`, ON_NODE())).toContain('reason: ok')
    const encoded = await run('tx', `encode ${signed}`)
    expect(json(await run('tx', `decode ${encoded}`))).toEqual(json(readFileSync(signed, 'utf8')))
    expect(json(await run('tx', `broadcast ${signed} -o json`, ON_NODE()))).toMatchObject({ code: 0 })
  }
  await expect(run('tx', 'decode AAAA')).rejects.toThrow('tx parse error')
  await expect(run('tx', `broadcast ${file('missing.json')}`, ON_NODE())).rejects.toThrow(
    /missing.json: cannot be read: ENOENT/,
  )
})

test('two of three members sign for a multisig, in whatever order, and its coins move', async () => {
  await run('keys', 'add team --multisig m1,m2,m3 --multisig-threshold 2', WITH_KEYS())
  const team = await run('keys', 'show team -a', WITH_KEYS())
  await send(`bank send alice ${team} 1000000unative`)
  const path = file('team.json')
  const made = await run('tx', `bank send team ${bob} 7unative --generate-only -o json`, [...WITH_KEYS(), ...ON_NODE()])
  writeFileSync(path, made)
  const parts = []
  for (const member of ['m3', 'm1']) {
    const part = file(`${member}.json`)
    await run('tx', `sign ${path} --from ${member} --multisig team --output-document ${part}`, [
      ...WITH_KEYS(),
      ...ON_NODE(),
    ])
    parts.push(part)
  }
  for (const named of ['team', team]) {
    const signing = run('tx', `sign ${path} --from alice --multisig ${named}`, [...WITH_KEYS(), ...ON_NODE()])
    await expect(signing).rejects.toThrow(/^alice is no member of team: its members are (m\d(, )?){3}$/)
  }
  const single = run('tx', `sign ${path} --from alice --multisig m1`, [...WITH_KEYS(), ...ON_NODE()])
  await expect(single).rejects.toThrow('--multisig m1: m1 is no multisig')
  const joined = file('joined.json')
  const joining = (files: readonly string[]) =>
    run('tx', `multisign ${path} team ${files.join(' ')} --output-document ${joined}`, [...WITH_KEYS(), ...ON_NODE()])
  await expect(joining([parts[0]!, parts[0]!])).rejects.toThrow('team needs 2 signatures, and there are 1')
  const other = file('other.json')
  writeFileSync(other, made.replace('"amount":"7"', '"amount":"8"'))
  await run('tx', `sign ${other} --from m1 --multisig team --output-document ${file('bad.json')}`, [
    ...WITH_KEYS(),
    ...ON_NODE(),
  ])
  await expect(joining([parts[0]!, file('bad.json')])).rejects.toThrow('not a signature of this transaction')
  await joining(parts)
  expect(existsSync(joined)).toBe(true)
  expect(await run('tx', `validate-signatures ${joined}`, ON_NODE())).toContain('valid: true')
  const before = await balance(bob)
  expect(json(await run('tx', `broadcast ${joined} -o json`, ON_NODE()))).toMatchObject({ code: 0 })
  expect(await balance(bob)).toBe(before + 7n)
  await expect(send(`bank send team ${bob} 7unative`)).rejects.toThrow('team is a multisig')
})

test('a batch is signed with ascending sequences, and each of its transactions succeeds', async () => {
  const made = async (amount: number) =>
    await run('tx', `bank send alice ${bob} ${amount}unative --generate-only -o json`, [...WITH_KEYS(), ...ON_NODE()])
  writeFileSync(file('batch.json'), `${await made(1)}\n\n${await made(2)}\n`)
  writeFileSync(file('more.json'), `${await made(4)}\n`)
  const signing = (paths: string, more = '') =>
    run('tx', `sign-batch ${paths} --from alice${more}`, [...WITH_KEYS(), ...ON_NODE()])
  await signing(`${file('batch.json')} ${file('more.json')}`, ` --output-document ${file('batch-signed.json')}`)
  const signed = readFileSync(file('batch-signed.json'), 'utf8').trimEnd().split('\n')
  expect(signed).toHaveLength(3)
  const before = await balance(bob)
  for (const [i, tx] of signed.entries()) {
    writeFileSync(file('one.json'), tx)
    expect(json(await run('tx', `broadcast ${file('one.json')} -o json`, ON_NODE())).code, String(i)).toBe(0)
  }
  expect(await balance(bob)).toBe(before + 7n)
  writeFileSync(file('bad.json'), `${await made(1)}\n{"body":{}}\n`)
  await expect(signing(file('bad.json'))).rejects.toThrow('bad.json, line 2: no transaction with messages')
  writeFileSync(file('bad.json'), '\n')
  await expect(signing(file('bad.json'))).rejects.toThrow(
    'bad.json: empty: it must have a document of JSON on each line',
  )
})

test('members sign a batch for a multisig, and its signatures are joined line by line', async () => {
  await run('keys', 'add crew --multisig m1,m2,m3 --multisig-threshold 2', WITH_KEYS())
  const crew = await run('keys', 'show crew -a', WITH_KEYS())
  await send(`bank send alice ${crew} 1000000unative`)
  const words = (amount: number) => `bank send crew ${bob} ${amount}unative --generate-only -o json`
  const made = [1, 2].map((amount) => run('tx', words(amount), [...WITH_KEYS(), ...ON_NODE()]))
  writeFileSync(file('crew.json'), (await Promise.all(made)).join('\n'))
  const parts = ['m2', 'm1'].map((member) => file(`crew-${member}.json`))
  for (const [i, member] of ['m2', 'm1'].entries()) {
    const target = `--from ${member} --multisig crew --output-document ${parts[i]}`
    await run('tx', `sign-batch ${file('crew.json')} ${target}`, [...WITH_KEYS(), ...ON_NODE()])
  }
  const joining = (files: readonly string[]) =>
    run('tx', `multisign-batch ${file('crew.json')} crew ${files.join(' ')}`, [...WITH_KEYS(), ...ON_NODE()])
  const joined = (await joining(parts)).split('\n')
  expect(joined).toHaveLength(2)
  const before = await balance(bob)
  for (const tx of joined) {
    writeFileSync(file('one.json'), tx)
    expect(json(await run('tx', `broadcast ${file('one.json')} -o json`, ON_NODE())).code).toBe(0)
  }
  expect(await balance(bob)).toBe(before + 3n)
  writeFileSync(file('short.json'), readFileSync(parts[0]!, 'utf8').split('\n')[0]!)
  await expect(joining([file('short.json')])).rejects.toThrow('short.json has 1 signatures, and')
})

test('fee allowances and authorizations are granted and ended with the arguments of the family', async () => {
  expect(
    await send(`feegrant grant alice ${bob} --spend-limit 100unative --period 3600 --period-limit 10unative`),
  ).toMatchObject({ code: 0 })
  const shown = await run('query', `feegrant allowance ${alice} ${bob}`, ON_NODE())
  expect(shown).toContain('PeriodicAllowance')
  expect(await send(`feegrant revoke alice ${bob}`)).toMatchObject({ code: 0 })
  expect(await send(`authz grant ${bob} send --spend-limit 9unative --from alice`)).toMatchObject({ code: 0 })
  expect(await send(`authz revoke ${bob} /cosmos.bank.v1beta1.MsgSend --from alice`)).toMatchObject({ code: 0 })
  await expect(send(`authz grant ${bob} burn --from alice`)).rejects.toThrow('must be one of send, generic, delegate')
})

test('coins are delegated, and rewards withdrawn, with positional arguments', async () => {
  const { validators } = (await node.query('/cosmos/staking/v1beta1/validators')) as {
    validators: { operator_address: string }[]
  }
  const validator = validators[0]!.operator_address
  expect(await send(`staking delegate ${validator} 1000unative --from alice`)).toMatchObject({ code: 0 })
  const pair = [`staking delegation ${alice} ${validator}`, `staking delegation ${validator} ${alice}`]
  for (const words of pair) expect(await run('query', words, ON_NODE())).toContain('amount: "1000"')
  expect(await send(`distribution withdraw-rewards ${validator} --from alice`)).toMatchObject({ code: 0 })
  expect(await send('distribution withdraw-all-rewards --from alice')).toMatchObject({ code: 0 })
  expect(await run('query', `distribution rewards ${alice}`, ON_NODE())).toContain('total:')
})

test('a transaction is found by account and sequence, and by its signature', async () => {
  const { txhash } = await send(`bank send alice ${bob} 3unative`)
  const query = async (words: string) =>
    json(await run('query', words, [...ON_NODE(), '-o', 'json'])) as unknown as {
      tx: { auth_info: { signer_infos: { sequence: string }[] }; signatures: string[] }
      tx_response: { txhash: string }
    }
  const { tx } = await query(`tx ${txhash}`)
  const { sequence } = tx.auth_info.signer_infos[0]!
  expect((await query(`tx --type acc_seq ${alice}/${sequence}`)).tx_response.txhash).toBe(txhash)
  expect((await query(`tx --type signature ${tx.signatures[0]}`)).tx_response.txhash).toBe(txhash)
  await expect(query(`tx --type acc_seq ${alice}/99999`)).rejects.toThrow('no transaction with --type acc_seq')
  await expect(query(`tx --type acc_seq ${alice}`)).rejects.toThrow('must be ADDRESS/SEQUENCE')
  await expect(query(`tx --type x ${txhash}`)).rejects.toThrow('must be hash, acc_seq or signature')
})

test('a prevote commits to its rates by the hash that the chain computes from the vote', async () => {
  // SHA-256 of "1:(ubtc:uusd,64250.0):chainvaloper1example", its first 20 bytes, as in vote-text.test.ts.
  const words = ['1', '(ubtc:uusd,64250.0)', 'chainvaloper1example']
  const more = [
    ...words,
    '--from',
    'alice',
    '--generate-only',
    '-o',
    'json',
    '--gas',
    '1',
    ...WITH_KEYS(),
    ...ON_NODE(),
  ]
  const made = json(await run('tx', 'oracle aggregate-prevote', more)) as unknown as {
    body: { messages: Record<string, string>[] }
  }
  expect(made.body.messages).toMatchObject([
    { hash: '4529d6820e42558a76a6e95972a2af6880c705c0', feeder: alice, validator: 'chainvaloper1example' },
  ])
  await expect(run('tx', 'oracle aggregate-prevote', ['1', 'nonsense', ...more.slice(3)])).rejects.toThrow(
    'failed to parse exchange rates',
  )
})

test('a fee payer signs the file too, and pays', async () => {
  await send(`bank send alice ${await run('keys', 'show m1 --address', WITH_KEYS())} 5000000unative`)
  const m1 = (await run('keys', 'show m1 --address', WITH_KEYS())).trim()
  const words = `bank send alice ${bob} 3unative --fee-payer ${m1}`
  await expect(run('tx', words, [...WITH_KEYS(), ...ON_NODE(), '-y'])).rejects.toThrow('add --generate-only')
  await run('tx', words, [...WITH_KEYS(), ...ON_NODE(), '--generate-only', '-o', 'json']).then((text) =>
    writeFileSync(file('payer.json'), text),
  )
  const before = [await balance(alice), await balance(m1)] as const
  for (const [from, source, target] of [
    ['alice', 'payer', 'payer-1'],
    ['m1', 'payer-1', 'payer-2'],
  ]) {
    const paths = [file(`${source}.json`), '--from', from!, '--output-document', file(`${target}.json`)]
    await run('tx', 'sign', [...paths, ...WITH_KEYS(), ...ON_NODE()])
  }
  const sent = json(await run('tx', 'broadcast', [file('payer-2.json'), ...ON_NODE(), '-o', 'json']))
  expect(sent.code).toBe(0)
  expect(before[0] - (await balance(alice))).toBe(3n)
  expect(before[1] - (await balance(m1))).toBe(5000n)
})
