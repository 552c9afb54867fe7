"""The files that parcels began with."""

README = """
    # parcels

    What does it cost to send this, and what goes on the label? A library for
    small web shops, without any dependency.

    Build with `mvn package`.
    """

POM = """
    <project xmlns="http://maven.apache.org/POM/4.0.0">
      <modelVersion>4.0.0</modelVersion>
      <groupId>dev.parcels</groupId>
      <artifactId>parcels</artifactId>
      <version>1.0-SNAPSHOT</version>
      <properties>
        <maven.compiler.release>11</maven.compiler.release>
        <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
      </properties>
      <dependencies>
        <dependency>
          <groupId>junit</groupId>
          <artifactId>junit</artifactId>
          <version>4.13.2</version>
          <scope>test</scope>
        </dependency>
      </dependencies>
    </project>
    """

PARCEL = """
    package dev.parcels;

    /** What is sent: its size in millimetres and its weight in grams. */
    public final class Parcel {
        private final int length;
        private final int width;
        private final int height;
        private final int grams;

        public Parcel(int length, int width, int height, int grams) {
            if (length <= 0 || width <= 0 || height <= 0 || grams <= 0) {
                throw new IllegalArgumentException("a parcel has a size and a weight");
            }
            this.length = length;
            this.width = width;
            this.height = height;
            this.grams = grams;
        }

        public int grams() {
            return grams;
        }

        /** Length plus girth, which is what carriers limit. */
        public int girth() {
            int longest = Math.max(length, Math.max(width, height));
            return longest + 2 * (length + width + height - longest);
        }
    }
    """

RATE_TABLE = """
    package dev.parcels;

    import java.util.Map;
    import java.util.NavigableMap;
    import java.util.TreeMap;

    /** Prices in cents by weight: a parcel costs what the next heavier entry says. */
    public final class RateTable {
        private static final int MAX_GIRTH = 3000;

        private final NavigableMap<Integer, Integer> rates = new TreeMap<>();

        /** Adds a price. */
        public RateTable rate(int upToGrams, int cents) {
            rates.put(upToGrams, cents);
            return this;
        }

        /** The price of a parcel in cents. */
        public int price(Parcel parcel) {
            if (parcel.girth() > MAX_GIRTH) {
                throw refused("too large: " + parcel.girth() + " mm");
            }
            Map.Entry<Integer, Integer> rate = rates.ceilingEntry(parcel.grams());
            if (rate == null) {
                throw refused("too heavy: " + parcel.grams() + " g");
            }
            return rate.getValue();
        }

        /** Whether there is a price for a parcel. */
        public boolean accepts(Parcel parcel) {
            return parcel.girth() <= MAX_GIRTH && rates.ceilingEntry(parcel.grams()) != null;
        }

        private static IllegalArgumentException refused(String why) {
            return new IllegalArgumentException(why);
        }
    }
    """

RATE_TABLE_TEST = """
    package dev.parcels;

    import static org.junit.Assert.assertEquals;
    import static org.junit.Assert.assertFalse;

    import org.junit.Test;

    public class RateTableTest {
        private final RateTable rates = new RateTable().rate(1000, 490).rate(5000, 790);

        @Test
        public void theNextHeavierEntryCounts() {
            assertEquals(490, rates.price(new Parcel(200, 150, 100, 1000)));
            assertEquals(790, rates.price(new Parcel(200, 150, 100, 1001)));
        }

        @Test
        public void tooHeavyIsNotAccepted() {
            assertFalse(rates.accepts(new Parcel(200, 150, 100, 5001)));
        }
    }
    """

TRACKING_NUMBER = """
    package dev.parcels;

    import java.util.Objects;

    /** A tracking number: two letters for the carrier, eight digits, a check digit. */
    public final class TrackingNumber {
        private static final int LENGTH = 11;
        private static final int[] WEIGHTS = {8, 6, 4, 2, 3, 5, 9, 7};

        private final String text;

        private TrackingNumber(String text) {
            this.text = text;
        }

        /** Makes a number from the carrier's letters and a serial number. */
        public static TrackingNumber of(String carrier, int serial) {
            String digits = String.format("%08d", serial);
            return new TrackingNumber(carrier + digits + checkDigit(digits));
        }

        /** Reads a number that somebody typed. */
        public static TrackingNumber parse(String text) {
            if (text.length() != LENGTH) {
                throw new IllegalArgumentException("not a tracking number: " + text);
            }
            String digits = text.substring(2, LENGTH - 1);
            if (checkDigit(digits) != text.charAt(LENGTH - 1) - '0') {
                throw new IllegalArgumentException("mistyped: " + text);
            }
            return new TrackingNumber(text);
        }

        private static int checkDigit(String digits) {
            int sum = 0;
            for (int i = 0; i < WEIGHTS.length; i++) {
                sum += WEIGHTS[i] * (digits.charAt(i) - '0');
            }
            return 11 - sum % 11;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof TrackingNumber && ((TrackingNumber) other).text.equals(text);
        }

        @Override
        public int hashCode() {
            return Objects.hash(text);
        }

        @Override
        public String toString() {
            return text;
        }
    }
    """

ADDRESS = """
    package dev.parcels;

    /** Where a parcel goes. */
    public final class Address {
        private final String name;
        private final String street;
        private final String postcode;
        private final String town;
        private final String country;

        public Address(String name, String street, String postcode, String town, String country) {
            this.name = name;
            this.street = street;
            this.postcode = postcode;
            this.town = town;
            this.country = country;
        }

        public String name() {
            return name;
        }

        public String street() {
            return street;
        }

        public String postcode() {
            return postcode;
        }

        public String town() {
            return town;
        }

        public String country() {
            return country;
        }
    }
    """

LABEL_PRINTER = """
    package dev.parcels;

    import java.util.ArrayList;
    import java.util.List;

    /** Lays out labels for a printer of fixed-width characters. */
    public final class LabelPrinter {
        private static final int COLUMNS = 32;

        private final String sender;

        public LabelPrinter(String sender) {
            this.sender = sender;
        }

        /** The lines of a label. */
        public List<String> print(Address to, TrackingNumber number) {
            List<String> lines = new ArrayList<>();
            lines.add(cut("From: " + sender));
            lines.add(rule());
            lines.add(cut(to.name()));
            lines.add(cut(to.street()));
            lines.add(cut(to.postcode() + " " + to.town()));
            lines.add(rule());
            lines.add(center(number.toString()));
            return lines;
        }

        private static String rule() {
            return "-".repeat(COLUMNS);
        }

        private static String center(String text) {
            int left = (COLUMNS - text.length()) / 2;
            return " ".repeat(left) + text;
        }

        private static String cut(String text) {
            return text.length() <= COLUMNS ? text : text.substring(0, COLUMNS);
        }
    }
    """

CHECKOUT = """
    package dev.parcels;

    /** What the shop asks for when somebody pays. */
    public final class Checkout {
        private final RateTable rates;
        private final int freeFromCents;

        public Checkout(RateTable rates, int freeFromCents) {
            this.rates = rates;
            this.freeFromCents = freeFromCents;
        }

        /** What sending costs, in cents. */
        public int shipping(Parcel parcel, int goodsCents) {
            if (goodsCents >= freeFromCents) {
                return 0;
            }
            return rates.price(parcel);
        }

        /** What is to be paid, in cents. */
        public int total(Parcel parcel, int goodsCents) {
            return goodsCents + shipping(parcel, goodsCents);
        }
    }
    """
