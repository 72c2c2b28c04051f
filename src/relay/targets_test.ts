import assert from "node:assert/strict";
import type { IpAddress } from "../system/network/ip_address.ts";
import { dialProblem } from "../system/network/dialled_address.ts";
import type { Places } from "./connection.ts";
import { addressBytes, SyntheticAddresses } from "./dns/synthetic_addresses.ts";
import { KeptLookups } from "./kept_lookups.ts";
import { Targets } from "./targets.ts";

const HOST = "host.example";
const ADDRESS = { address: "93.184.216.34", family: 4 };
const PLACE = { address: Uint8Array.of(93, 184, 216, 34), port: 443 };

function dialled(places: Places | Promise<Places>): unknown {
  if (places instanceof Promise) return places;

  return "refused" in places ? places : places.map(({ address, port }) => ({ address, port }));
}

/** Targets of a network whose list has one host and one address. */
function targetsOf(own: () => readonly IpAddress[]) {
  const names = new SyntheticAddresses();
  const asked: string[] = [];
  const targets = new Targets(
    {
      reachable: {
        isListed: (name) => name === HOST,
        isNamed: (name) => name === HOST,
        find: (host, port) => {
          asked.push(`${host}:${port}`);
          return (host === HOST || host === ADDRESS.address) && port === 443 ? { anyProtocol: false } : undefined;
        },
        refusal: (host, port) => ({ reason: `is not listed: ${host}:${port}` }),
        addressProblem: (_, address, addresses) => dialProblem(address, { allowsPrivateHosts: false, own: addresses }),
        own,
      },
    },
    names,
    new KeptLookups(() => Promise.resolve([ADDRESS])),
  );
  const synthetic = addressBytes(names.addressOf(HOST) ?? 0, 4);
  return { targets, asked, synthetic };
}

Deno.test("S31 Targets.placesOf() refuses kept addresses of a host as soon as they are this machine's", async () => {
  let own: readonly IpAddress[] = [];
  const { targets, synthetic } = targetsOf(() => own);
  const target = targets.of(synthetic, 443);
  assert.equal(target.refused, undefined);
  const places = async () => await targets.placesOf(target, (found) => found);
  assert.deepEqual(dialled(await places()), [PLACE]);
  assert.equal(await places(), await places(), "nothing has changed");
  own = [{ version: 4, value: 0x5db8_d822n }];
  assert.deepEqual(await places(), {
    refused: { reason: "leads to an address of this machine", flag: `--allow-private-hosts ${HOST}` },
  });
  own = [];
  assert.deepEqual(dialled(await places()), [PLACE]);
});

Deno.test("S30 Targets.of() decides once for a listed name and port, and each time for all else", () => {
  const { targets, asked, synthetic } = targetsOf(() => []);
  const target = targets.of(synthetic, 443);
  assert.equal(targets.of(synthetic, 443), target);
  for (const _ of [1, 2]) {
    const { host, refused, mayBeAsked } = targets.of(synthetic, 22);
    assert.deepEqual({ host, refused, mayBeAsked }, {
      host: HOST,
      refused: { reason: `is not listed: ${HOST}:22` },
      mayBeAsked: true,
    });
  }
  assert.deepEqual(asked, [`${HOST}:443`, `${HOST}:22`, `${HOST}:22`]);
  for (
    const [address, reason] of [
      [Uint8Array.of(198, 18, 9, 9), "stands for no name"],
      [Uint8Array.of(127, 0, 0, 1), "is the loopback of commands, where nothing of the machine listens"],
      [Uint8Array.of(1, 1, 1, 1), "is not listed: 1.1.1.1:443"],
    ] as const
  ) {
    const { host, refused, mayBeAsked } = targets.of(address, 443);
    assert.deepEqual({ host, refused, mayBeAsked }, {
      host: address.join("."),
      refused: { reason },
      mayBeAsked: false,
    });
  }
  assert.deepEqual(dialled(targets.placesOf(targets.of(PLACE.address, 443), (found) => found)), [PLACE]);
});
