/** Python programs for `withDaemon`: what waits outside and gives the secret to any process that reaches it. */

/** Serves the secret at `address`, in Python. */
function server(family: string, kind: string, address: string): string {
  return `
import array, os, socket
secret = open("secret", "rb").read()
listener = socket.socket(socket.${family}, socket.${kind})
listener.bind(${address})
if socket.${kind} != socket.SOCK_DGRAM: listener.listen()
print("ready", flush=True)
while True:
  if socket.${kind} == socket.SOCK_DGRAM:
    words, sender = listener.recvfrom(100)
    if sender: listener.sendto(secret, sender)
    continue
  peer, _ = listener.accept()
  if socket.${family} == socket.AF_UNIX:
    handed = array.array("i", [os.open("secret", os.O_RDONLY)])
    peer.sendmsg([secret], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handed)])
  else: peer.sendall(secret)
  peer.close()
`;
}

/** A stream socket at a path: sends the secret, and the open file of it as a descriptor. */
export function streamAt(path: string): string {
  return server("AF_UNIX", "SOCK_STREAM", JSON.stringify(path));
}

/** A datagram socket at a path: answers with the secret. */
export function datagramAt(path: string): string {
  return server("AF_UNIX", "SOCK_DGRAM", JSON.stringify(path));
}

/** The same at an abstract name. */
export function abstractStream(name: string): string {
  return server("AF_UNIX", "SOCK_STREAM", `"\\0${name}"`);
}

/** The same for datagrams. */
export function abstractDatagram(name: string): string {
  return server("AF_UNIX", "SOCK_DGRAM", `"\\0${name}"`);
}
