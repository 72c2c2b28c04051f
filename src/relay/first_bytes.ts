/** Whether a connection is for the name that its command asked for; an address alone may serve many names. */
import { concatenate } from "../base/bytes.ts";
import type { Judge } from "./connection.ts";
import { RequestBody } from "./http/request_body.ts";
import { readRequestHost } from "./http/request_host.ts";
import { isSameName, readServerName } from "./tls/client_hello.ts";

const HTTPS = 443;
const HTTP = 80;

/** The judge of connections to a name: TLS must name it on every port, HTTP on its own. `isEnded`: its TLS ends here. */
export function judgeOf(name: string, port: number, { isEnded }: { readonly isEnded: boolean }): Judge {
  const refuse = (why: string) => ({
    refused: {
      reason: `was not asked for by that name: ${why}`,
      ...!isEnded && { flag: `--network ...,${name}:${port}/any` },
    },
  });
  return (bytes) => {
    const hello = readServerName(bytes);
    switch (hello.state) {
      case "more":
        return "more";
      case "name":
        return isSameName(hello.name, name) ? { pass: bytes } : refuse(`TLS names "${hello.name}"`);
      case "none":
        return refuse("TLS names no server");
      case "encrypted":
        return refuse("TLS hides the name of its server");
      case "invalid":
        return refuse(`the ClientHello ${hello.reason}`);
      case "not-tls":
        if (isEnded) return refuse(`port ${port} takes only TLS, because a secret is bound to it`);
        if (port === HTTPS) return refuse(`port ${HTTPS} takes only TLS`);
        return port === HTTP ? ofHttp(bytes) : { pass: bytes };
    }
  };

  function ofHttp(bytes: Uint8Array<ArrayBuffer>): ReturnType<Judge> {
    const request = readRequestHost(bytes);
    switch (request.state) {
      case "more":
        return "more";
      case "host":
        return request.name === name
          ? ofBody(request, bytes.subarray(request.length))
          : refuse(`the HTTP request names "${request.name}"`);
      case "invalid":
        return refuse(`the HTTP request ${request.reason}`);
      case "not-http":
        return refuse(`port ${HTTP} takes only HTTP`);
    }
  }

  /** The head, the body so far, and the rest of the body: never a second request. */
  function ofBody({ head, body: length }: HttpHead, come: Uint8Array): ReturnType<Judge> {
    const body = new RequestBody(length);
    const count = body.take(come);
    return count === undefined
      ? refuse("the HTTP request has a body in an unusual form")
      : { pass: concatenate([head, come.subarray(0, count)]), further: (bytes) => body.take(bytes) };
  }
}

type HttpHead = Extract<ReturnType<typeof readRequestHost>, { readonly state: "host" }>;
