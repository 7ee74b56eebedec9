import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rawMethods } from './debug/raw.ts'
import { storageMethods } from './debug/storage.ts'
import { traceMethods } from './debug/trace.ts'
import { developmentMethods } from './development/development.ts'
import { ethMethods, signingMethods } from './eth/eth.ts'
import { moduleMethods } from './modules.ts'
import { netMethods } from './net.ts'
import { txpoolMethods } from './txpool.ts'
import { web3Methods } from './web3.ts'

const page = readFileSync(new URL('../../../docs/json-rpc.md', import.meta.url), 'utf8')
const inCode = (text: string): string[] => [...text.matchAll(/`([A-Za-z0-9_]+)`/g)].map(([, name]) => name!)
const [everywhere, development] = page.split('## A development chain') as [string, string]

test('the page on JSON-RPC names every method of every chain, and no other', () => {
  const named = inCode(everywhere).filter((name) => /^(eth|net|web3|txpool|debug|rpc)_/.test(name))
  const debug = { ...rawMethods, ...storageMethods, ...traceMethods }
  const answering = { ...ethMethods, ...netMethods, ...web3Methods, ...txpoolMethods, ...debug }
  const tables = { ...answering, ...moduleMethods(answering) }
  expect([...new Set(named)].sort()).toEqual(Object.keys(tables).sort())
})

test('the page names every verb of a development chain, and no other', () => {
  const names = Object.keys({ ...signingMethods, ...developmentMethods })
  const prefixed = /^(anvil|hardhat|evm)_/
  const rows = development.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What '))
  expect([...new Set(rows.flatMap(inCode))].sort()).toEqual(
    [...new Set(names.filter((name) => prefixed.test(name)).map((name) => name.replace(prefixed, '')))].sort(),
  )
  const own = inCode(development).filter((name) => /^(eth|personal|miner|debug|almanac)_[a-zA-Z]/.test(name))
  const called = own.filter((name) => !['eth_accounts', 'eth_call'].includes(name))
  expect([...new Set(called)].sort()).toEqual(names.filter((name) => !prefixed.test(name)).sort())
})
