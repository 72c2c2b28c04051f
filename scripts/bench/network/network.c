/*
 * Both ends of what the bench measures over a network, and the floor of a relay: a thread for each connection, one
 * buffer, poll. A number that this machine chose for the port is printed first.
 *   network serve                          network relay PORT
 *   network connect|name HOST PORT COUNT   microseconds of each new connection until its first answer, in one line;
 *                                          `name` asks for the address each time
 *   network down|up HOST PORT MIB          GiB a second of so many bytes from, or to, the server
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER = 1 << 18, REQUEST = 16 };
static const long PAUSE_US = 5000;

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void need(int succeeded, const char *what) {
  if (succeeded) return;
  perror(what);
  exit(1);
}

static int prompt(int socket) {
  int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  return socket;
}

static int send_all(int socket, const char *bytes, long count) {
  while (count > 0) {
    long sent = send(socket, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0) return 0;
    bytes += sent;
    count -= sent;
  }
  return 1;
}

/* 0: the other end closed first. */
static int take(int socket, char *buffer, long count) {
  while (count > 0) {
    long got = recv(socket, buffer, count < BUFFER ? count : BUFFER, 0);
    if (got <= 0) return 0;
    count -= got;
  }
  return 1;
}

static void *answer(void *argument) {
  int socket = (long)argument;
  char request[REQUEST], *buffer = calloc(1, BUFFER);
  if (recv(socket, request, REQUEST, MSG_WAITALL) == REQUEST) {
    long bytes = atol(request + 1) << 20;
    if (request[0] == 'u') take(socket, buffer, bytes);
    if (request[0] != 'd') send_all(socket, request, REQUEST);
    else while (bytes > 0 && send_all(socket, buffer, BUFFER)) bytes -= BUFFER;
    recv(socket, request, 1, 0);
  }
  close(socket);
  free(buffer);
  return NULL;
}

static struct sockaddr_in local = {.sin_family = AF_INET};

static void *pass_on(void *argument) {
  int ends[2] = {(long)argument, prompt(socket(AF_INET, SOCK_STREAM, 0))}, open = 2;
  char *buffer = malloc(BUFFER);
  if (connect(ends[1], (void *)&local, sizeof local)) open = 0;
  struct pollfd waits[2] = {{ends[0], POLLIN, 0}, {ends[1], POLLIN, 0}};
  while (open > 0) {
    poll(waits, 2, -1);
    for (int i = 0; i < 2; i++) {
      if (!waits[i].revents) continue;
      long got = recv(ends[i], buffer, BUFFER, 0);
      if (got > 0 && send_all(ends[!i], buffer, got)) continue;
      shutdown(ends[!i], SHUT_WR);
      waits[i] = (struct pollfd){-1, 0, 0};
      open--;
    }
  }
  close(ends[0]);
  close(ends[1]);
  free(buffer);
  return NULL;
}

static void listen_for(void *(*each)(void *)) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  pthread_attr_t detached;
  pthread_t thread;
  need(!bind(listener, (void *)&address, length) && !listen(listener, 1024), "listen");
  getsockname(listener, (void *)&address, &length);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  pthread_attr_init(&detached);
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (;;) {
    int socket = accept(listener, NULL, NULL);
    if (socket >= 0 && pthread_create(&thread, &detached, each, (void *)(long)prompt(socket))) close(socket);
  }
}

static struct addrinfo *find(const char *host, const char *port) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_INET}, *found = NULL;
  need(!getaddrinfo(host, port, &hints, &found), "getaddrinfo");
  return found;
}

static int dial(const struct addrinfo *to) {
  int dialled = prompt(socket(to->ai_family, SOCK_STREAM, 0));
  need(!connect(dialled, to->ai_addr, to->ai_addrlen), "connect");
  return dialled;
}

static void time_connections(char **words, int count) {
  char request[REQUEST] = "c";
  struct addrinfo *known = words[1][0] == 'n' ? NULL : find(words[2], words[3]);
  for (int i = 0; i < count; i++) {
    usleep(PAUSE_US);
    double begin = now_us();
    struct addrinfo *found = known ? known : find(words[2], words[3]);
    int dialled = dial(found);
    send_all(dialled, request, REQUEST);
    need(recv(dialled, request, REQUEST, MSG_WAITALL) == REQUEST, "answer");
    printf(i ? " %.1f" : "%.1f", now_us() - begin);
    close(dialled);
    if (!known) freeaddrinfo(found);
  }
  puts("");
}

static void time_bytes(char **words, int mib) {
  char request[REQUEST] = {0}, *buffer = calloc(1, BUFFER);
  int dialled = dial(find(words[2], words[3])), isUp = words[1][0] == 'u', isWhole = 1;
  double begin = now_us();
  snprintf(request, sizeof request, "%c%d", words[1][0], mib);
  send_all(dialled, request, REQUEST);
  for (long left = (long)mib << 20; isUp && left > 0; left -= BUFFER) isWhole &= send_all(dialled, buffer, BUFFER);
  isWhole &= take(dialled, buffer, isUp ? REQUEST : (long)mib << 20);
  need(isWhole, "all bytes");
  printf("%.4f\n", mib / 1024.0 / ((now_us() - begin) / 1e6));
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "";
  if (!strcmp(what, "serve")) listen_for(answer);
  if (!strcmp(what, "relay") && count == 3) {
    local.sin_port = htons(atoi(words[2]));
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    listen_for(pass_on);
  }
  if (count != 5) return 2;
  if (what[0] == 'c' || what[0] == 'n') time_connections(words, atoi(words[4]));
  else time_bytes(words, atoi(words[4]));
  return 0;
}
