/** All JSON-RPC methods, by wire name. */
import { accountMethods } from './debug/accounts.ts'
import { rawMethods } from './debug/raw.ts'
import { refusedDebugMethods } from './debug/refused.ts'
import { storageMethods } from './debug/storage.ts'
import { traceMethods } from './debug/trace.ts'
import { manyMethods } from './debug/trace-many.ts'
import { developmentMethods } from './development/development.ts'
import { ethMethods, signingMethods } from './eth/eth.ts'
import { localMethods, type Methods } from './method.ts'
import { netMethods } from './net.ts'
import { erigonMethods, otsMethods } from './ots/ots.ts'
import { parityMethods } from './trace/trace.ts'
import { txpoolMethods } from './txpool.ts'
import { web3Methods } from './web3.ts'

/** Methods of every chain. */
export const chainMethods: Methods = {
  ...ethMethods,
  ...netMethods,
  ...web3Methods,
  ...txpoolMethods,
  ...rawMethods,
  ...traceMethods,
  ...storageMethods,
  ...manyMethods,
  ...accountMethods,
  ...refusedDebugMethods,
  ...parityMethods,
  ...otsMethods,
  ...erigonMethods,
}

const signing = localMethods(signingMethods)

/** Methods of nodes with keys, and of development chains. They answer only to requests from this machine. */
export const optionalMethods = { signing, development: { ...signing, ...localMethods(developmentMethods) } }
