/** Precompile 0x802: Wasm contracts. This build has no Wasm VM, so that every contract is unknown. */
import { errors } from '../../../sdk/errors.ts'
import { definePrecompile, type Method } from './define.ts'

/** Defines a method whose first argument names a contract. */
function ofContract(signature: string, changesState: boolean): Method {
  return {
    signature,
    reads: 'string',
    returns: '',
    changesState,
    run(_call, args) {
      throw errors.notFound(`no such contract: ${args[0]}`)
    },
  }
}

export const wasmPrecompile = definePrecompile('precompileWasm', [
  ofContract('execute(string,bytes,(string,uint256)[])', true),
  ofContract('query(string,bytes)', false),
  ofContract('queryRaw(string,bytes)', false),
  {
    signature: 'executeMulti((string,bytes,(string,uint256)[])[])',
    reads: '',
    returns: '',
    changesState: true,
    run() {
      throw errors.notFound('no such contract')
    },
  },
  {
    signature: 'instantiate(string,uint64,bytes,string,(string,uint256)[])',
    reads: 'string,uint64',
    returns: '',
    changesState: true,
    run(_call, args) {
      throw errors.notFound(`no such code: ${args[1]}`)
    },
  },
])
