/** All JSON-RPC methods, by wire name. */
import { rawMethods } from './debug/raw.ts'
import { storageMethods } from './debug/storage.ts'
import { traceMethods } from './debug/trace.ts'
import { developmentMethods } from './development/development.ts'
import { ethMethods, signingMethods } from './eth/eth.ts'
import { localMethods, type Methods } from './method.ts'
import { netMethods } from './net.ts'
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
}

const signing = localMethods(signingMethods)

/** Methods of nodes with keys, and of development chains. They answer only to requests from this machine. */
export const optionalMethods = { signing, development: { ...signing, ...localMethods(developmentMethods) } }
