/** Code of the deterministic deployment proxy (github.com/Arachnid/deterministic-deployment-proxy, public domain). */
import { hex } from '../../../primitives/bytes.ts'

export const CREATE2_DEPLOYER_ADDRESS: Uint8Array = hex('4e59b44847b379578588920ca78fbf26c0b4956c')
export const CREATE2_DEPLOYER_CODE: Uint8Array = hex(
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
)
