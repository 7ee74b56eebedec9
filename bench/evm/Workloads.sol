// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.20;

interface IToken {
    function transfer(address to, uint256 amount) external returns (bool);
}

/// The workloads of the EVM benchmark that are written in Solidity.
contract Workloads {
    /// Mixed arithmetic on full words.
    function arithmetic(uint256 n) external pure returns (uint256 x) {
        x = 0x9e3779b97f4a7c15f39cc0605cedc8341082276bf3a27251f86c6a11d0c18e95;
        uint256 y = 3;
        unchecked {
            for (uint256 i = 1; i <= n; i++) {
                x = x * 0xd1342543de82ef95 + i;
                y = mulmod(x, y + i, 0xffffffffffffffffffffffffffffffff000000000000000000000001);
                x ^= x >> 47;
                x = addmod(x, y, 0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f);
                x += (y << 13) / (i + 7);
                if (int256(x) < 0) x = ~x % (y | 1);
            }
        }
    }

    function keccak(uint256 n) external pure returns (bytes32 h) {
        assembly ("memory-safe") {
            for { let i := 0 } lt(i, n) { i := add(i, 1) } {
                mstore(0, h)
                mstore(32, i)
                h := keccak256(0, 64)
            }
        }
    }

    function transfers(IToken token, uint256 n) external {
        for (uint256 i; i < n; i++) require(token.transfer(address(uint160(0x1000 + (i & 15))), 1));
    }

    int256 constant ONE = 1 << 64;

    function mul(int256 a, int256 b) private pure returns (int256) {
        unchecked {
            return (a * b) >> 64;
        }
    }

    function div(int256 a, int256 b) private pure returns (int256) {
        unchecked {
            return (a << 64) / b;
        }
    }

    function sqrt(int256 v) private pure returns (int256) {
        unchecked {
            if (v <= 0) return 0;
            uint256 x = uint256(v) << 64;
            uint256 r = 1 << 64;
            uint256 last = 0;
            while (r != last && r != last + 1) {
                last = r;
                r = (r + x / r) >> 1;
            }
            return int256(r);
        }
    }

    struct Hit {
        int256 distance;
        int256 nx;
        int256 ny;
        int256 nz;
        uint256 sphere;
    }

    /// Nearest of four spheres hit by a ray; fixed point with 64 fractional bits.
    function trace(int256[3] memory o, int256[3] memory d) private pure returns (Hit memory hit) {
        unchecked {
            hit.distance = type(int256).max;
            for (uint256 s = 0; s < 4; s++) {
                int256 cx = (int256(s) - 1) * 2 * ONE;
                int256 cy = s == 3 ? -101 * ONE : int256(0);
                int256 cz = (int256(s & 1) + 6) * ONE;
                int256 r = s == 3 ? 100 * ONE : ONE;
                int256 lx = cx - o[0];
                int256 ly = cy - o[1];
                int256 lz = cz - o[2];
                int256 b = mul(lx, d[0]) + mul(ly, d[1]) + mul(lz, d[2]);
                if (b <= 0) continue;
                int256 c = mul(lx, lx) + mul(ly, ly) + mul(lz, lz) - mul(r, r);
                int256 disc = mul(b, b) - c;
                if (disc <= 0) continue;
                int256 t = b - sqrt(disc);
                if (t <= ONE / 1000 || t >= hit.distance) continue;
                hit.distance = t;
                hit.nx = div(o[0] + mul(d[0], t) - cx, r);
                hit.ny = div(o[1] + mul(d[1], t) - cy, r);
                hit.nz = div(o[2] + mul(d[2], t) - cz, r);
                hit.sphere = s;
            }
        }
    }

    /// Renders a picture of width by height and returns the sum of its brightness.
    function render(uint256 width, uint256 height) external pure returns (uint256 sum) {
        unchecked {
            for (uint256 y = 0; y < height; y++) {
                for (uint256 x = 0; x < width; x++) {
                    int256[3] memory o;
                    int256[3] memory d;
                    d[0] = div(int256(x) * 2 * ONE - int256(width) * ONE, int256(width) * ONE);
                    d[1] = div(int256(height) * ONE - int256(y) * 2 * ONE, int256(height) * ONE);
                    d[2] = ONE;
                    int256 weight = ONE;
                    for (uint256 bounce = 0; bounce < 3; bounce++) {
                        int256 length = sqrt(mul(d[0], d[0]) + mul(d[1], d[1]) + mul(d[2], d[2]));
                        d[0] = div(d[0], length);
                        d[1] = div(d[1], length);
                        d[2] = div(d[2], length);
                        Hit memory hit = trace(o, d);
                        if (hit.distance == type(int256).max) {
                            sum += uint256(mul(weight, ONE + d[1])) >> 56;
                            break;
                        }
                        int256 light = mul(hit.nx, ONE / 2) + mul(hit.ny, (ONE * 3) / 4) - mul(hit.nz, ONE / 3);
                        if (light > 0) sum += uint256(mul(mul(weight, light), ONE / int256(hit.sphere + 1))) >> 56;
                        weight = mul(weight, ONE / 2);
                        for (uint256 k = 0; k < 3; k++) o[k] += mul(d[k], hit.distance);
                        int256 twice = 2 * (mul(d[0], hit.nx) + mul(d[1], hit.ny) + mul(d[2], hit.nz));
                        d[0] -= mul(twice, hit.nx);
                        d[1] -= mul(twice, hit.ny);
                        d[2] -= mul(twice, hit.nz);
                    }
                }
            }
        }
    }
}
