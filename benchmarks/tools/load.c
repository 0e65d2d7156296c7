/* The programs that run inside the panes: load KIND [RATE]
 *   echo       raw mode; answers each key a..x with a Greek letter of its own
 *   log R      coloured log lines, R a second (0: without end)
 *   redraw R   a full screen of changed coloured rows, R times a second
 *   agent R    a spinner and streamed words, R updates a second
 *   count      numbered lines without end
 *   quiet      nothing, for ever
 *   swallow F N OUT   print the file F until N megabytes are out, ask for the cursor's position,
 *              and write to OUT how many seconds it took until the answer came
 *   bridge S   gives its stdin away: sends it, and its other arguments, through the Unix socket S
 *   bare F N OUT      the same on a PTY of 200x50 of its own, with a reader that only reads: what
 *              this machine gives to any terminal
 */
#include <fcntl.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

static char out[1 << 20];
static size_t used;

static void put(const char *text) {
    size_t n = strlen(text);
    memcpy(out + used, text, n);
    used += n;
}

static void flush_all(void) {
    size_t done = 0;
    while (done < used) {
        ssize_t n = write(1, out + done, used - done);
        if (n <= 0) exit(0);
        done += (size_t)n;
    }
    used = 0;
}

static void wait_for_next(double rate, struct timespec *next) {
    if (rate <= 0) return;
    long step = (long)(1e9 / rate);
    next->tv_nsec += step;
    while (next->tv_nsec >= 1000000000L) {
        next->tv_nsec -= 1000000000L;
        next->tv_sec++;
    }
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

static const char *words[] = {"compiling", "kernel", "module", "warning", "in", "file",
                              "src/main.rs", "expected", "token", "return", "value", "range"};

static void line(long n, char *to, size_t size, int cells) {
    int at = snprintf(to, size, "\033[2m%08ld\033[0m \033[3%ld;1m%s\033[0m ", n, 1 + n % 7,
                      n % 5 ? "INFO" : "WARN");
    int shown = 14;
    while (shown < cells - 14) {
        const char *word = words[rand() % 12];
        at += snprintf(to + at, size - (size_t)at, "\033[38;5;%dm%s\033[39m ", rand() % 256, word);
        shown += (int)strlen(word) + 1;
    }
}

static void raw_terminal(int newlines) {
    struct termios mode;
    tcgetattr(0, &mode);
    cfmakeraw(&mode);
    if (newlines) mode.c_oflag |= OPOST | ONLCR;
    tcsetattr(0, TCSANOW, &mode);
}

/* Everything before the question has been taken in once the answer is here. */
static void ask_position(void) {
    char byte = 0;
    put("\033[6n");
    flush_all();
    while (byte != 'R' && read(0, &byte, 1) == 1) {
    }
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int swallow(const char *path, double megabytes, const char *report) {
    static char data[32 << 20];
    int file = open(path, O_RDONLY);
    ssize_t size = file < 0 ? 0 : read(file, data, sizeof data);
    if (size <= 0) return 1;
    raw_terminal(1);
    ask_position();
    double began = now(), left = megabytes * 1e6;
    while (left > 0) {
        for (ssize_t done = 0; done < size;) {
            ssize_t piece = size - done > 65536 ? 65536 : size - done;
            ssize_t n = write(1, data + done, (size_t)piece);
            if (n <= 0) return 1;
            done += n;
        }
        left -= (double)size;
    }
    ask_position();
    double spent = now() - began;
    put("\033[r\033[?1049l\033[0m");
    flush_all();
    FILE *to = fopen(report, "w");
    fprintf(to, "%.6f %.0f\n", spent, megabytes * 1e6 - left);
    fclose(to);
    return 0;
}

/* Read what `swallow` prints, and answer its queries, which end each piece of output. */
static int bare(char **argv) {
    static char data[65536];
    struct winsize size = {50, 200, 0, 0};
    int terminal;
    if (forkpty(&terminal, NULL, NULL, &size) == 0) {
        argv[1] = "swallow";
        execv("/proc/self/exe", argv);
        _exit(1);
    }
    for (ssize_t n; (n = read(terminal, data, sizeof data)) > 0;)
        if (n >= 4 && !memcmp(data + n - 4, "\033[6n", 4) && write(terminal, "\033[1;1R", 6) != 6)
            return 1;
    return 0;
}

/* Whoever listens at the socket has the line from then on; we end when it is done with it. */
static int bridge(int argc, char **argv) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    union {
        char room[CMSG_SPACE(sizeof(int))];
        struct cmsghdr aligned;
    } control;
    char words[4096] = "", byte;
    for (int i = 3; i < argc; i++) {
        strncat(words, argv[i], sizeof words - strlen(words) - 2);
        strcat(words, " ");
    }
    int peer = socket(AF_UNIX, SOCK_STREAM, 0), ours = 0;
    strncpy(address.sun_path, argv[2], sizeof address.sun_path - 1);
    if (connect(peer, (struct sockaddr *)&address, sizeof address)) return 1;
    struct iovec part = {words, strlen(words)};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    message.msg_control = control.room;
    message.msg_controllen = sizeof control.room;
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof ours);
    memcpy(CMSG_DATA(head), &ours, sizeof ours);
    if (sendmsg(peer, &message, 0) < 0) return 1;
    close(0);
    close(1);
    while (read(peer, &byte, 1) > 0) {
    }
    return 0;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "quiet";
    double rate = argc > 2 ? atof(argv[2]) : 0;
    char text[8192];
    struct winsize size;
    struct timespec next;

    setvbuf(stdout, NULL, _IONBF, 0);
    clock_gettime(CLOCK_MONOTONIC, &next);
    srand((unsigned)getpid());
    if (!strcmp(kind, "echo")) {
        raw_terminal(0);
        put("ready\r\n");
        flush_all();
        unsigned char key;
        while (read(0, &key, 1) == 1) {
            if (key < 'a' || key > 'x') continue;
            int point = 0x3b1 + key - 'a';
            snprintf(text, sizeof text, "\r> %c%c \033[K", 0xc0 | point >> 6, 0x80 | (point & 63));
            put(text);
            flush_all();
        }
        return 0;
    }
    if (!strcmp(kind, "swallow")) return argc < 5 || swallow(argv[2], atof(argv[3]), argv[4]);
    if (!strcmp(kind, "bridge")) return argc < 4 || bridge(argc, argv);
    if (!strcmp(kind, "bare")) return argc < 5 || bare(argv);
    if (!strcmp(kind, "quiet")) {
        put("quiet\r\n");
        flush_all();
        for (;;) pause();
    }
    for (long n = 0;; n++) {
        ioctl(1, TIOCGWINSZ, &size);
        int cells = size.ws_col ? size.ws_col : 80, rows = size.ws_row ? size.ws_row : 24;
        if (!strcmp(kind, "count")) {
            for (int i = 0; i < 64; i++) {
                snprintf(text, sizeof text, "%ld\r\n", n * 64 + i);
                put(text);
            }
        } else if (!strcmp(kind, "log")) {
            int batch = rate > 0 ? 1 : 32;
            for (int i = 0; i < batch; i++) {
                line(n * batch + i, text, sizeof text, cells - 1);
                put(text);
                put("\r\n");
            }
        } else if (!strcmp(kind, "redraw")) {
            put("\033[H");
            for (int y = 0; y < rows; y++) {
                line(n * rows + y, text, sizeof text, cells - 1);
                put(text);
                put(y + 1 < rows ? "\033[K\r\n" : "\033[K");
            }
        } else {
            static const char *spin[] = {"⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧"};
            snprintf(text, sizeof text, "%s %s\0337\033[%d;1H\033[38;5;208m%s Thinking (%lds)\033[m\0338",
                     words[rand() % 12], n % 12 == 11 ? "\r\n" : "", rows, spin[n % 8], n / 12);
            put(text);
        }
        flush_all();
        wait_for_next(rate, &next);
    }
}
