/** A port of this machine's loopback that leads to a port of the loopback of commands (S34). */
export interface PublishedPort {
  /** Of the machine. */
  readonly port: number;
  /** Of commands. */
  readonly inside: number;
}
