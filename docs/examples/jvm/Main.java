import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Executors;

public class Main {
  public static void main(String[] arguments) throws IOException {
    int port = Integer.parseInt(System.getenv("PORT"));
    HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
    server.createContext("/healthz", exchange -> answer(exchange, "ok"));
    server.createContext("/primes", exchange -> answer(exchange, "{\"primes\":" + primesBelow(2000) + "}"));
    server.setExecutor(Executors.newFixedThreadPool(4));
    server.start();
  }

  static int primesBelow(int limit) {
    int count = 0;
    for (int number = 2; number < limit; number++) {
      boolean isPrime = true;
      for (int divisor = 2; divisor * divisor <= number && isPrime; divisor++) {
        isPrime = number % divisor != 0;
      }
      if (isPrime) count++;
    }
    return count;
  }

  static void answer(HttpExchange exchange, String text) throws IOException {
    byte[] body = text.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(200, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }
}
